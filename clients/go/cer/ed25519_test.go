package cer

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"testing"
)

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	decoded, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

func TestRefusesPointsThatAreNotStrict(t *testing.T) {
	for name, text := range map[string]string{
		"neutral element":            "0100000000000000000000000000000000000000000000000000000000000000",
		"order 2":                    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"order 4":                    "0000000000000000000000000000000000000000000000000000000000000000",
		"order 8":                    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"order 8, the other":         "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"y is not below p":           "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"x is 0 and its sign is set": "0100000000000000000000000000000000000000000000000000000000000080",
		"not on the curve":           "0200000000000000000000000000000000000000000000000000000000000000",
	} {
		if strictPoint(unhex(t, text)) {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestVerifiesStrictly(t *testing.T) {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))
	public := private.Public().(ed25519.PublicKey)
	signature := ed25519.Sign(private, []byte("text"))
	encode := base64.RawURLEncoding.EncodeToString
	if !verifyStrict(public, "text", encode(signature)) {
		t.Fatal("a valid signature is refused")
	}
	small := append(unhex(t, "0100000000000000000000000000000000000000000000000000000000000000"), make([]byte, 32)...)
	for name, text := range map[string]string{
		"padding": encode(signature) + "==", "a line feed": encode(signature) + "\n", "63 bytes": encode(signature[:63]),
		"65 bytes": encode(append(bytes.Clone(signature), 0)), "R of small order": encode(small), "empty": "",
	} {
		if verifyStrict(public, "text", text) {
			t.Errorf("%s is accepted", name)
		}
	}
}
