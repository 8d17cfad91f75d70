package cer

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const vectors = "../../../packages/cer-core/vectors"

// familySizes has the fewest tests of each family, so that a family that shrinks or is not read fails.
var familySizes = map[string]int{
	"confidential-and-v2": 52, "envelope": 36, "execution-v1": 83, "json": 40, "keys": 33, "other-types": 45,
	"packages": 48, "projects": 80, "receipt": 53, "reseal": 44, "tools": 20,
}

// notBuilt names the tests that need what this verifier lacks, each with the reason. They are counted, not skipped.
var notBuilt = map[string]string{}

func readValue(t *testing.T, path string) *Value {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	value, fault := Parse(text)
	if fault != nil {
		t.Fatalf("%s: %v", path, fault)
	}
	return value
}

// TestVectors runs every test of every family that is in the folder.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob(vectors + "/*.json")
	if err != nil || len(files) < len(familySizes) {
		t.Fatalf("%d families in the folder, %d known (%v)", len(files), len(familySizes), err)
	}
	for _, file := range files {
		family := readValue(t, file)
		name := family.Get("family").Text
		t.Run(name, func(t *testing.T) { runFamily(t, name, family) })
	}
}

func runFamily(t *testing.T, name string, family *Value) {
	tests := family.Get("tests").Items
	if len(tests) < max(1, familySizes[name]) {
		t.Errorf("%d tests, at least %d known", len(tests), familySizes[name])
	}
	passed, lacking := 0, 0
	for _, test := range tests {
		id := test.Get("id").Text
		if _, lacks := notBuilt[id]; lacks {
			lacking++
			continue
		}
		if t.Run(id, func(t *testing.T) { runCase(t, family, test) }) {
			passed++
		}
	}
	t.Logf("%s: %d tests, %d passed, %d not built", name, len(tests), passed, lacking)
}

func runCase(t *testing.T, family, test *Value) {
	file := newObject()
	for _, name := range []string{"kind", "bundle", "options"} {
		file.set(name, test.Get(name))
	}
	file.set("keySet", family.Get("keySets").Get(test.Get("keySet").text()))
	expected, actual := test.Get("expected"), Answer(file)
	for _, name := range expected.Names {
		if !equal(expected.Get(name), actual.Get(name)) {
			want, _ := Canonicalize(expected.Get(name), SvcV1, "")
			t.Errorf("%s is %s, not %s", name, canonical(actual.Get(name)), want)
		}
	}
}

func canonical(v *Value) string {
	if v == nil {
		return "absent"
	}
	text, _ := Canonicalize(v, SvcV1, "")
	return text
}

// TestNotBuiltIsKnown keeps the list of what is lacking free of ids that no family has.
func TestNotBuiltIsKnown(t *testing.T) {
	known := []string{}
	files, _ := filepath.Glob(vectors + "/*.json")
	for _, file := range files {
		for _, test := range readValue(t, file).Get("tests").Items {
			known = append(known, test.Get("id").Text)
		}
	}
	for id := range notBuilt {
		if !slices.Contains(known, id) {
			t.Errorf("%s is not a test of any family", id)
		}
	}
}
