// Package baseline is the null agent: a provider without a network and without
// a model. It picks one of the callable tools uniformly and draws arguments
// uniformly from that tool's JSON Schema, so that an agent under study can be
// compared with chance and a design can be piloted for nothing.
//
// # What uniform means
//
// Options of an enum are equally likely, and so are the integers of a range,
// the steps of a multipleOf within its bounds, the branches of an anyOf or
// oneOf, the listed types, and the permutations of an array of unique options.
// A number without multipleOf is drawn from a decimal grid of at least a
// thousand steps over its range. An array's length is uniform over what is
// allowed, at most ten above the least. An optional property is there with
// probability 1/2. Additional members are made up only where a schema describes
// them or minProperties demands them.
//
// Where a bound is missing, a range of 0 to 100 is assumed, or 100 beyond the
// bound that is there; a text has one to six words; an array without maxItems
// is at most three longer than it must be.
//
// Recursive schemas are drawn from freely down to a depth of twelve, or to a
// thousand values in all; from there on as shortly as they allow.
//
// # Limits
//
// Every value is checked against its schema before it is handed out. A schema
// is refused if no valid value turns up within a fixed number of steps, if it
// cannot be read, refers to another document, has a pattern that Go's regular
// expressions cannot express (such as a lookahead), or is larger than 128 KiB.
// The keywords are those of draft 2020-12, with the forms of earlier drafts
// that tool schemas still use: boolean exclusiveMinimum, items as an array,
// additionalItems, dependencies and definitions. A known format is always
// respected, an unknown one has no effect.
package baseline
