package cer

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decode returns the first code point of a text and its length; a lone surrogate is returned as itself.
func decode(text string) (rune, int) {
	if r, size := utf8.DecodeRuneInString(text); r != utf8.RuneError || size > 1 {
		return r, size
	}
	if len(text) >= 3 && text[0] == 0xED && text[1] >= 0xA0 && text[1] <= 0xBF {
		return 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F), 3
	}
	return utf8.RuneError, 1
}

// appendUnit appends a UTF-16 unit or code point, a lone surrogate as its three bytes.
func appendUnit(out []byte, r rune) []byte {
	if r >= 0xD800 && r <= 0xDFFF {
		return append(out, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(out, r)
}

// units returns the UTF-16 code units of a text.
func units(text string) []uint16 {
	out := make([]uint16, 0, len(text))
	for len(text) > 0 {
		r, size := decode(text)
		if r >= 0x10000 {
			high, low := utf16.EncodeRune(r)
			out = append(out, uint16(high), uint16(low))
		} else {
			out = append(out, uint16(r))
		}
		text = text[size:]
	}
	return out
}

// fromUnits returns the text of UTF-16 code units.
func fromUnits(u []uint16) string {
	var out []byte
	for i := 0; i < len(u); i++ {
		r := rune(u[i])
		if i+1 < len(u) {
			if pair := utf16.DecodeRune(r, rune(u[i+1])); pair != utf8.RuneError {
				r, i = pair, i+1
			}
		}
		out = appendUnit(out, r)
	}
	return string(out)
}

func wellFormed(text string) bool { return utf8.ValidString(text) }

// hasControl reports U+0000 to U+001F and U+007F to U+009F.
func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7F && r <= 0x9F })
}

// label is the rule of provider, model and the like: 1 to 256 units without control characters.
func label(text string) bool {
	n := len(units(text))
	return n >= 1 && n <= 256 && !hasControl(text)
}

var plainName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)

// at appends a member name to a path.
//
// See docs/spec.md, "Strict JSON".
func at(path, name string) string {
	if u := units(name); len(u) > 64 {
		name = fromUnits(u[:64]) + "…"
	} else if plainName.MatchString(name) {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	quoted, _ := quote(name, true)
	return path + "[" + quoted + "]"
}

func index(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
