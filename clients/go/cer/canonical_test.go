package cer

import (
	"encoding/hex"
	"math"
	"os"
	"strings"
	"testing"
)

// The samples of RFC 8785, appendix B: the bits of a double and its text.
var rfc8785Numbers = map[uint64]string{
	0x0000000000000000: "0", 0x8000000000000000: "0", 0x0000000000000001: "5e-324", 0x8000000000000001: "-5e-324",
	0x7fefffffffffffff: "1.7976931348623157e+308", 0xffefffffffffffff: "-1.7976931348623157e+308",
	0x4340000000000000: "9007199254740992", 0xc340000000000000: "-9007199254740992",
	0x4430000000000000: "295147905179352830000", 0x44b52d02c7e14af5: "9.999999999999997e+22",
	0x44b52d02c7e14af6: "1e+23", 0x44b52d02c7e14af7: "1.0000000000000001e+23",
	0x444b1ae4d6e2ef4e: "999999999999999700000", 0x444b1ae4d6e2ef4f: "999999999999999900000",
	0x444b1ae4d6e2ef50: "1e+21", 0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7", 0x3eb0c6f7a0b5ed8d: "0.000001",
	0x41b3de4355555553: "333333333.3333332", 0x41b3de4355555554: "333333333.33333325",
	0x41b3de4355555555: "333333333.3333333", 0x41b3de4355555556: "333333333.3333334",
	0x41b3de4355555557: "333333333.33333343", 0xbecbf647612f3696: "-0.0000033333333333333333",
	0x43143ff3c1cb0959: "1424953923781206.2",
}

func TestNumbersOfRFC8785(t *testing.T) {
	for bits, text := range rfc8785Numbers {
		if got := FormatNumber(math.Float64frombits(bits)); got != text {
			t.Errorf("%016x is %s, not %s", bits, got, text)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := Canonicalize(&Value{Kind: Number, Number: f}, SvcV1, ""); err == nil {
			t.Errorf("%v has a canonical form", f)
		}
	}
}

// TestPublishedCanonicalTexts reads each published canonical text: it must be written as it is, under both profiles.
func TestPublishedCanonicalTexts(t *testing.T) {
	checked, errors := 0, 0
	for _, vector := range readValue(t, "../../../packages/canonical-json/vectors/canonicalization.json").Get("vectors").Items {
		expected := vector.Get("expected")
		if expected.Has("error") {
			errors++ // values that JSON text cannot express
			continue
		}
		checked++
		name, want := vector.Get("name").Text, expected.Get("canonical").Text
		source := strings.TrimSuffix(strings.TrimPrefix(vector.Get("jsExpression").Text, "("), ")")
		value, fault := Parse([]byte(source))
		if fault != nil { // an expression that is not JSON: the canonical text itself must come back
			if value, fault = Parse([]byte(want)); fault != nil {
				t.Fatalf("%s: %v", name, fault)
			}
		}
		for _, profile := range []string{SvcV1, JcsV1} {
			got, err := Canonicalize(value, profile, "")
			if err != nil || got != want || hex.EncodeToString([]byte(got)) != expected.Get("utf8Hex").Text ||
				HashBytes(got) != expected.Get("sha256").Text {
				t.Errorf("%s under %s: %s (%v)", name, profile, got, err)
			}
		}
	}
	if t.Logf("%d texts, %d that are not JSON", checked, errors); checked != 13 || errors != 4 {
		t.Errorf("%d texts, %d that are not JSON: count them again", checked, errors)
	}
}

// TestIndependentHashes verifies bundles that another implementation sealed.
func TestIndependentHashes(t *testing.T) {
	tests := readValue(t, vectors+"/independent/certificate-hashes.json").Get("vectors").Items
	if len(tests) != 4 {
		t.Errorf("%d bundles, 4 known", len(tests))
	}
	for _, test := range tests {
		report := Verify(test.Get("bundle"), Options{})
		if report.Status != "VERIFIED" || report.CertificateHash != test.Get("certificateHash").Text {
			t.Errorf("%s: %s %v", test.Get("name").Text, report.Code, report.Findings)
		}
		text, _ := Canonicalize(test.Get("bundle").pick(hashScope...), SvcV1, "")
		if text != test.Get("hashedCanonical").Text {
			t.Errorf("%s: another canonical text", test.Get("name").Text)
		}
	}
}

func TestStrictParserAndDepth(t *testing.T) {
	for text, code := range map[string]string{
		"\xff": "JSON_NOT_STRICT", "\"\xed\xa0\x80\"": "JSON_NOT_STRICT", `"\ud800\u0041"`: "", `[01]`: "JSON_SYNTAX", `1.`: "JSON_SYNTAX",
		`{"a":1,"a":2`: "JSON_SYNTAX", `"\u12"`: "JSON_SYNTAX", `"\uD83D\uDE00"`: "", "nul": "JSON_SYNTAX", "[1,]": "JSON_SYNTAX",
		strings.Repeat("[", 130) + strings.Repeat("]", 130): "", strings.Repeat("[", 1<<20): "JSON_NOT_STRICT",
	} {
		_, fault := Parse([]byte(text))
		if got := faultCode(fault); got != code {
			t.Errorf("%.20q is %s, not %s", text, got, code)
		}
	}
	deep := &Value{Kind: Array}
	for range maxCanonicalDepth - 1 {
		deep = &Value{Kind: Array, Items: []*Value{deep}}
	}
	if _, err := Canonicalize(deep, JcsV1, ""); err != nil {
		t.Errorf("160 levels: %v", err)
	}
	if _, err := Canonicalize(&Value{Kind: Array, Items: []*Value{deep}}, JcsV1, ""); err == nil {
		t.Error("161 levels have a canonical form")
	}
}

func faultCode(fault *ParseError) string {
	if fault == nil {
		return ""
	}
	return fault.Code
}

// FuzzParse: hostile text never panics; what is read has a canonical text that reads as the same value again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"b":[1,-0,1e21,1e-7],"a":"\ud800\u0000é😀"}`, `[9007199254740993]`, `{"__proto__":{"a":null}}`, "\xef\xbb\xbf1"} {
		f.Add([]byte(seed))
	}
	if text, err := os.ReadFile("../../../examples/certificates/certified.json"); err == nil {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		value, fault := Parse(text)
		if fault != nil {
			return
		}
		Verify(value, Options{})
		VerifyProject(value, Options{})
		canonical, err := Canonicalize(value, SvcV1, "")
		if err != nil {
			t.Fatal(err)
		}
		again, fault := Parse([]byte(canonical))
		if fault != nil && !strings.Contains(fault.Rule, "double would round") {
			t.Fatalf("%v in %q", fault, canonical)
		}
		if fault == nil && !equal(value, again) {
			t.Fatalf("%q reads as another value", canonical)
		}
		if strict, err := Canonicalize(value, JcsV1, ""); err == nil && strict != canonical {
			t.Fatalf("the profiles differ over %q", canonical)
		}
	})
}
