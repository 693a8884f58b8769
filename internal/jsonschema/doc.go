// Package jsonschema compiles JSON Schemas and validates values against them, as
// [the specification] has it, in the dialects 2020-12 (the default), 2019-09,
// draft-07, draft-06 and draft-04.
//
// It is made for judging research data. Numbers are exact decimals of any length
// (7.3 is a multiple of 0.1), lengths are counted in code points, all violations are
// reported and not just the first, in a fixed order and with the subschema that has
// the rule; only where a subschema refuses the value as a whole, by false, type, const
// or enum, it has no more to say ([Schema.Validate]). No schema and no value can keep it busy, nor fill the memory: what
// grows with the product of the two, the list of violations included, is paid for
// out of a [Budget]. And it does
// nothing when the program starts, which is what keeps other validators out of a
// function that is started for one answer.
//
// # Deviations from the specification
//
//   - The keyword format is asserted, for the formats that are known; others say
//     nothing, and neither do content keywords. In an e-mail address a quoted local
//     part is RFC 5321's: with quoted pairs and without tabs. The format
//     regex lets escapes pass that are none of ECMA-262's, such as \a; in the keyword
//     pattern they are refused.
//   - $dynamicRef and $recursiveRef are refused, as is a $ref that leads back to
//     itself at the same value. $dynamicAnchor is an $anchor. Nothing is ever loaded
//     from elsewhere, and the metaschemas count as elsewhere: a reference to there is
//     refused, also in a then or an else that no value gets to. Only in a part that no
//     keyword and no reference applies, such as a definition that is not used, it does
//     not matter where a reference leads.
//   - A $schema that is none of these dialects counts as 2020-12, and $vocabulary is
//     ignored. A part may have a dialect of its own if it has an id, in the way of the
//     dialect around it: $id, and id in draft-04.
//   - In all dialects 1.0 is an integer, and true and false are schemas, in draft-04
//     too.
//   - Regular expressions run in linear time: lookaround and backreferences are
//     refused. The rest of ECMA-262 syntax is translated, and means what it means
//     with the u flag.
//   - Where earlier dialects are stricter than 2020-12 without a use, they are not:
//     required and enum may be empty, options may repeat, and an exclusive limit may
//     stand alone.
//   - Schemas that are very large are refused: see the constants that begin with max.
//     So are patterns that are dear to read, which is not a matter of their length:
//     \p{L} stands for 650 ranges, and a range where case is ignored for all of its
//     characters.
//   - A name that is given twice in an object, or half of a surrogate pair, makes a
//     schema and a value invalid: see package jsontree.
//
// [the specification]: https://json-schema.org/specification
package jsonschema
