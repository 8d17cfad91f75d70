package cer

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// The two canonicalization profiles.
//
// See docs/spec.md, "Canonicalization profiles".
const (
	SvcV1 = "svc-v1"
	JcsV1 = "jcs-v1"
)

const maxCanonicalDepth = 160

// CanonicalError says where a value has no canonical form.
type CanonicalError struct{ Path, Rule string }

func (e *CanonicalError) Error() string { return e.Path + ": " + e.Rule }

// Canonicalize writes the canonical text of a value. Path names the value in errors.
func Canonicalize(v *Value, profile, path string) (string, *CanonicalError) {
	c := &canonicalizer{loose: profile == SvcV1}
	if err := c.write(v, path, 0); err != nil {
		return "", err
	}
	return c.out.String(), nil
}

type canonicalizer struct {
	out   strings.Builder
	loose bool
}

func (c *canonicalizer) write(v *Value, path string, depth int) *CanonicalError {
	switch v.Kind {
	case Null:
		c.out.WriteString("null")
	case Bool:
		c.out.WriteString(strconv.FormatBool(v.Bool))
	case Number:
		if math.IsNaN(v.Number) || math.IsInf(v.Number, 0) {
			return &CanonicalError{path, "not a finite number"}
		}
		c.out.WriteString(FormatNumber(v.Number))
	case String:
		return c.string(v.Text, path)
	default:
		if depth >= maxCanonicalDepth {
			return &CanonicalError{path, "more than 160 levels"}
		}
		if v.Kind == Array {
			return c.array(v, path, depth)
		}
		return c.object(v, path, depth)
	}
	return nil
}

func (c *canonicalizer) string(text, path string) *CanonicalError {
	quoted, ok := quote(text, c.loose)
	if !ok {
		return &CanonicalError{path, "a lone surrogate"}
	}
	c.out.WriteString(quoted)
	return nil
}

func (c *canonicalizer) array(v *Value, path string, depth int) *CanonicalError {
	c.out.WriteByte('[')
	for i, item := range v.Items {
		if i > 0 {
			c.out.WriteByte(',')
		}
		if err := c.write(item, index(path, i), depth+1); err != nil {
			return err
		}
	}
	c.out.WriteByte(']')
	return nil
}

func (c *canonicalizer) object(v *Value, path string, depth int) *CanonicalError {
	type member struct {
		name  string
		units []uint16
	}
	members := make([]member, len(v.Names))
	for i, name := range v.Names {
		members[i] = member{name, units(name)}
	}
	sort.Slice(members, func(i, j int) bool { return slices.Compare(members[i].units, members[j].units) < 0 })
	c.out.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			c.out.WriteByte(',')
		}
		if err := c.string(m.name, path); err != nil {
			return err
		}
		c.out.WriteByte(':')
		if err := c.write(v.Get(m.name), at(path, m.name), depth+1); err != nil {
			return err
		}
	}
	c.out.WriteByte('}')
	return nil
}

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// quote writes a string with minimal escapes; it reports false at a lone surrogate unless these are escaped too.
func quote(text string, loose bool) (string, bool) {
	out := []byte{'"'}
	for len(text) > 0 {
		r, size := decode(text)
		short, known := shortEscapes[r]
		switch {
		case known:
			out = append(out, short...)
		case r < 0x20 || r >= 0xD800 && r <= 0xDFFF:
			if r >= 0x20 && !loose {
				return "", false
			}
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return string(append(out, '"')), true
}

// FormatNumber writes a finite number as ECMAScript does.
func FormatNumber(f float64) string {
	if f == 0 {
		return "0"
	}
	sign := ""
	if f < 0 {
		sign, f = "-", -f
	}
	mantissa, exponentText, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	exponent, _ := strconv.Atoi(exponentText)
	digits := strings.Replace(mantissa, ".", "", 1)
	n := exponent + 1 // the decimal point is after n digits
	switch {
	case len(digits) <= n && n <= 21:
		return sign + digits + strings.Repeat("0", n-len(digits))
	case 0 < n && n <= 21:
		return sign + digits[:n] + "." + digits[n:]
	case -6 < n && n <= 0:
		return sign + "0." + strings.Repeat("0", -n) + digits
	case len(digits) > 1:
		digits = digits[:1] + "." + digits[1:]
	}
	return fmt.Sprintf("%s%se%+d", sign, digits, n-1)
}
