package cer

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
)

var hashForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// IsHash reports whether a value has the form of a hash.
//
// See docs/spec.md, "Hashing values".
func IsHash(v *Value) bool { return v.is(String) && hashForm.MatchString(v.Text) }

// HashBytes is the SHA-256 of bytes, written as a hash.
func HashBytes(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// hashCanonical is the hash of the canonical form.
func hashCanonical(v *Value, profile, path string) (string, *CanonicalError) {
	text, err := Canonicalize(v, profile, path)
	if err != nil {
		return "", err
	}
	return HashBytes(text), nil
}

// hashRaw hashes a raw value: a string as its bytes, any other value as its canonical form.
func hashRaw(v *Value, profile, path string) (string, *CanonicalError) {
	if v.Kind != String {
		return hashCanonical(v, profile, path)
	}
	if !wellFormed(v.Text) {
		return "", &CanonicalError{path, "not well-formed Unicode"}
	}
	return HashBytes(v.Text), nil
}
