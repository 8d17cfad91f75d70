// Package cer verifies Certified Execution Records, from docs/spec.md alone. Comments cite its headings.
package cer

// Kind is the type of a JSON value.
type Kind int

// The six types of JSON.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Value is a parsed JSON value. Strings and names are UTF-8, except that a lone surrogate is kept as its three
// bytes of generalized UTF-8 (ED A0 80 to ED BF BF), which no valid UTF-8 contains.
type Value struct {
	Kind   Kind
	Bool   bool
	Number float64
	Text   string
	Items  []*Value
	Names  []string
	byName map[string]*Value
}

// Get returns a member of an object, or nil where there is no such member or v is not an object.
func (v *Value) Get(name string) *Value {
	if v == nil || v.Kind != Object {
		return nil
	}
	return v.byName[name]
}

// Path follows names through nested objects.
func (v *Value) Path(names ...string) *Value {
	for _, name := range names {
		v = v.Get(name)
	}
	return v
}

// Has reports whether an object has the member, whatever its value.
func (v *Value) Has(name string) bool { return v.Get(name) != nil }

// is reports whether there is a value of this kind.
func (v *Value) is(kind Kind) bool { return v != nil && v.Kind == kind }
func (v *Value) isTrue() bool      { return v.is(Bool) && v.Bool }

// given reports whether there is a value other than null.
func (v *Value) given() bool { return v != nil && v.Kind != Null }

// isText reports whether the value is this string.
func (v *Value) isText(text string) bool { return v.is(String) && v.Text == text }

// text returns the string, or "" for any other value.
func (v *Value) text() string {
	if v.is(String) {
		return v.Text
	}
	return ""
}

func newObject() *Value { return &Value{Kind: Object, byName: map[string]*Value{}} }

func textValue(text string) *Value { return &Value{Kind: String, Text: text} }

func (v *Value) set(name string, member *Value) {
	if _, known := v.byName[name]; !known {
		v.Names = append(v.Names, name)
	}
	v.byName[name] = member
}

// pick returns an object with the members present of those named.
func (v *Value) pick(names ...string) *Value {
	picked := newObject()
	for _, name := range names {
		if member := v.Get(name); member != nil {
			picked.set(name, member)
		}
	}
	return picked
}

// equal compares JSON values: members in any order, numbers as doubles, times and all other strings by letter.
func equal(a, b *Value) bool {
	if a == nil || b == nil || a.Kind != b.Kind {
		return a == b
	}
	switch a.Kind {
	case Bool:
		return a.Bool == b.Bool
	case Number:
		return a.Number == b.Number
	case String:
		return a.Text == b.Text
	case Array:
		if len(a.Items) != len(b.Items) {
			return false
		}
		for i := range a.Items {
			if !equal(a.Items[i], b.Items[i]) {
				return false
			}
		}
	case Object:
		if len(a.Names) != len(b.Names) {
			return false
		}
		for _, name := range a.Names {
			if !b.Has(name) || !equal(a.Get(name), b.Get(name)) {
				return false
			}
		}
	}
	return true
}

// contains reports whether the string occurs anywhere as a value.
func (v *Value) contains(text string) bool {
	if v == nil {
		return false
	}
	if v.isText(text) {
		return true
	}
	for _, item := range v.Items {
		if item.contains(text) {
			return true
		}
	}
	for _, name := range v.Names {
		if v.Get(name).contains(text) {
			return true
		}
	}
	return false
}
