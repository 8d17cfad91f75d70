package cer

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"
)

// MaxFileDepth is the number of levels that a file may have.
const MaxFileDepth = 130

// ParseError refuses a text. Code is JSON_SYNTAX for text that is not JSON, else JSON_NOT_STRICT with the path.
type ParseError struct{ Code, Path, Rule string }

func (e *ParseError) Error() string {
	if e.Path == "" {
		return e.Code + ": " + e.Rule
	}
	return e.Code + " at " + e.Path + ": " + e.Rule
}

type parser struct {
	text  string
	pos   int
	fault *ParseError
}

// Parse reads JSON text strictly.
//
// See docs/spec.md, "Strict JSON".
func Parse(text []byte) (*Value, *ParseError) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, &ParseError{Code: "JSON_SYNTAX", Rule: "UTF-16 text: encode it as UTF-8"}
	}
	if !utf8.Valid(text) {
		return nil, &ParseError{Code: "JSON_NOT_STRICT", Rule: "not valid UTF-8"}
	}
	p := &parser{text: string(text)}
	p.space()
	value, err := p.value("", 1)
	if err == nil {
		p.space()
		if p.pos < len(p.text) {
			err = p.syntax()
		}
	}
	if err == nil {
		err = p.fault
	}
	if err != nil {
		return nil, err
	}
	return value, nil
}

func (p *parser) syntax() *ParseError {
	return &ParseError{Code: "JSON_SYNTAX", Rule: "not JSON at byte " + strconv.Itoa(p.pos)}
}

// refuse keeps the first fault. Text that turns out not to be JSON at all is refused as that.
func (p *parser) refuse(path, rule string) {
	if p.fault == nil {
		p.fault = &ParseError{"JSON_NOT_STRICT", path, rule}
	}
}

func (p *parser) space() {
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\t' || p.text[p.pos] == '\n' || p.text[p.pos] == '\r') {
		p.pos++
	}
}

func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *parser) take(b byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == b {
		p.pos++
		return true
	}
	return false
}

func (p *parser) value(path string, depth int) (*Value, *ParseError) {
	switch b := p.peek(); {
	case b == '{' || b == '[':
		if depth > MaxFileDepth {
			return nil, &ParseError{"JSON_NOT_STRICT", path, "more than 130 levels"}
		}
		p.pos++
		if b == '{' {
			return p.object(path, depth)
		}
		return p.array(path, depth)
	case b == '"':
		text, err := p.string()
		return &Value{Kind: String, Text: text}, err
	case b == '-' || b >= '0' && b <= '9':
		return p.number(path)
	}
	for word, value := range map[string]*Value{"null": {}, "true": {Kind: Bool, Bool: true}, "false": {Kind: Bool}} {
		if len(p.text)-p.pos >= len(word) && p.text[p.pos:p.pos+len(word)] == word {
			p.pos += len(word)
			return value, nil
		}
	}
	return nil, p.syntax()
}

func (p *parser) object(path string, depth int) (*Value, *ParseError) {
	object := newObject()
	for p.space(); !p.take('}'); p.space() {
		if len(object.Names) > 0 {
			if !p.take(',') {
				return nil, p.syntax()
			}
			p.space()
		}
		if p.peek() != '"' {
			return nil, p.syntax()
		}
		name, err := p.string()
		if err != nil {
			return nil, err
		}
		if object.Has(name) {
			p.refuse(at(path, name), "two members of one name")
		}
		if p.space(); !p.take(':') {
			return nil, p.syntax()
		}
		p.space()
		member, err := p.value(at(path, name), depth+1)
		if err != nil {
			return nil, err
		}
		object.set(name, member)
	}
	return object, nil
}

func (p *parser) array(path string, depth int) (*Value, *ParseError) {
	array := &Value{Kind: Array}
	for p.space(); !p.take(']'); p.space() {
		if len(array.Items) > 0 {
			if !p.take(',') {
				return nil, p.syntax()
			}
			p.space()
		}
		item, err := p.value(index(path, len(array.Items)), depth+1)
		if err != nil {
			return nil, err
		}
		array.Items = append(array.Items, item)
	}
	return array, nil
}

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) string() (string, *ParseError) {
	p.pos++
	out := []byte{}
	high := rune(-1) // an escaped high surrogate that waits for its low one
	for p.pos < len(p.text) {
		b := p.text[p.pos]
		p.pos++
		if b != '\\' {
			if high >= 0 {
				out, high = appendUnit(out, high), -1
			}
			if b == '"' {
				return string(out), nil
			}
			if b < 0x20 {
				break
			}
			out = append(out, b)
			continue
		}
		r, known := escapes[p.peek()]
		switch {
		case known:
			p.pos++
		case p.peek() == 'u' && p.pos+5 <= len(p.text):
			unit, err := strconv.ParseUint(p.text[p.pos+1:p.pos+5], 16, 16)
			if err != nil {
				return "", p.syntax()
			}
			r = rune(unit)
			p.pos += 5
		default:
			return "", p.syntax()
		}
		if high >= 0 {
			if r >= 0xDC00 && r <= 0xDFFF {
				out, high = appendUnit(out, 0x10000+(high-0xD800)<<10+(r-0xDC00)), -1
				continue
			}
			out, high = appendUnit(out, high), -1
		}
		if r >= 0xD800 && r <= 0xDBFF {
			high = r
			continue
		}
		out = appendUnit(out, r)
	}
	return "", p.syntax()
}

func (p *parser) digits() int {
	start := p.pos
	for b := p.peek(); b >= '0' && b <= '9'; b = p.peek() {
		p.pos++
	}
	return p.pos - start
}

func (p *parser) number(path string) (*Value, *ParseError) {
	start, plain := p.pos, true
	p.take('-')
	first := p.peek()
	if n := p.digits(); n == 0 || n > 1 && first == '0' {
		return nil, p.syntax()
	}
	whole := p.text[start:p.pos]
	if p.take('.') {
		if p.digits() == 0 {
			return nil, p.syntax()
		}
		plain = !hasNonZeroDigit(p.text[start+len(whole) : p.pos])
	}
	mantissa := p.text[start:p.pos]
	if p.take('e') || p.take('E') {
		if plain = false; !p.take('+') {
			p.take('-')
		}
		if p.digits() == 0 {
			return nil, p.syntax()
		}
	}
	literal := p.text[start:p.pos]
	number, _ := strconv.ParseFloat(literal, 64) // its only error is overflow, seen below
	switch {
	case math.IsInf(number, 0):
		p.refuse(path, "a number that overflows")
	case number == 0 && hasNonZeroDigit(mantissa):
		p.refuse(path, "a number that underflows to 0")
	case plain && math.Abs(number) > 1<<53-1 && FormatNumber(number) != whole:
		p.refuse(path, "an integer that a double would round")
	}
	return &Value{Kind: Number, Number: number}, nil
}

func hasNonZeroDigit(mantissa string) bool {
	for i := range mantissa {
		if mantissa[i] >= '1' && mantissa[i] <= '9' {
			return true
		}
	}
	return false
}
