// Package jsontree reads a JSON text into a tree whose values know where they
// are written, so that one of them can be judged, named and replaced while every
// other byte of the text stays what it is.
//
// It refuses texts that have no single meaning: a name given twice (RFC 8259,
// section 4, leaves open which one counts), half of a surrogate pair, invalid
// UTF-8, a number that a client in JavaScript would take for infinity. And it bounds what would be dear to work with: depth, the number of
// values, the length of numbers, which are kept as they are written and compared
// exactly.
package jsontree
