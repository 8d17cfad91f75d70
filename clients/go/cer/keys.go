package cer

import (
	"bytes"
	"encoding/base64"
	"time"
)

// KeySet is the key set of a node that the caller pins.
type KeySet struct {
	NodeID string
	keys   map[string][]*Value
}

// ParseKeySet reads a key set. It is false where the value is not one.
//
// See docs/spec.md, "Node key set".
func ParseKeySet(v *Value) (*KeySet, bool) {
	if !v.Get("nodeId").is(String) || !v.Get("keys").is(Array) {
		return nil, false
	}
	set := &KeySet{NodeID: v.Get("nodeId").Text, keys: map[string][]*Value{}}
	for _, entry := range v.Get("keys").Items {
		if kid := entry.Get("kid"); kid.is(String) {
			set.keys[kid.Text] = append(set.keys[kid.Text], entry)
		}
	}
	return set, true
}

var spkiPrefix = []byte{0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00}

// before returns the code of a fault in the form of a receipt, or the one that comes first where there are no keys.
func (set *KeySet) before(code string) string {
	if set == nil && code == "ATTESTATION_INVALID_SIGNATURE" {
		return "VERIFICATION_MATERIAL_UNAVAILABLE"
	}
	return code
}

// choose returns the public key for a signature of that time, or the code of the first finding. A signature outside the
// life of its key comes with the key, so that a caller can see whether that key made it.
//
// See docs/spec.md, "Key choice".
func (set *KeySet) choose(kid string, signed time.Time) (key []byte, code string) {
	if set == nil {
		return nil, "VERIFICATION_MATERIAL_UNAVAILABLE"
	}
	entries := set.keys[kid]
	if len(entries) == 0 {
		return nil, "ATTESTATION_KEY_NOT_FOUND"
	}
	entry := entries[0]
	usable, outside := len(entries) == 1, false
	for _, name := range []string{"createdAt", "notBefore", "retiredAt", "revokedAt", "compromisedSince", "contextUnprotectedBefore"} {
		limit, ok := ParseTime(entry.Get(name))
		if !ok {
			usable = usable && !entry.Get(name).given()
			continue
		}
		outside = outside || name == "notBefore" && signed.Before(limit) || name == "retiredAt" && signed.After(limit)
	}
	status := entry.Get("status")
	isKnown := !status.given() || status.isText("active") || status.isText("retired") || status.isText("revoked")
	reason := entry.Get("revocationReason")
	usable = usable && isKnown && (!reason.given() || reason.is(String))
	if usable && entry.Get("algorithm").isText("Ed25519") {
		key = publicKey(entry)
	}
	if outside {
		return key, "ATTESTATION_KEY_NOT_FOUND"
	}
	if status.isText("revoked") || entry.Get("revokedAt").given() || entry.Get("compromisedSince").given() ||
		reason.given() {
		return nil, "KEY_REVOKED"
	}
	if key == nil {
		return nil, "ATTESTATION_KEY_FORMAT_UNSUPPORTED"
	}
	return key, ""
}

// readKey reads publicKey: base64 of the SPKI DER, or of the 32 bytes in either alphabet.
func readKey(text string) []byte {
	decoded, ok := decodeBase64(base64.StdEncoding, text)
	if ok && len(decoded) == 44 && bytes.HasPrefix(decoded, spkiPrefix) {
		return decoded[12:]
	}
	if !ok {
		decoded, ok = decodeBase64(base64.RawURLEncoding, text)
	}
	if ok && len(decoded) == 32 {
		return decoded
	}
	return nil
}

// publicKey reads both forms of the key, which must agree where both can be read; it is nil for an unusable key.
func publicKey(entry *Value) []byte {
	key := readKey(entry.Get("publicKey").text())
	jwk := entry.Get("publicKeyJwk")
	use, alg := jwk.Get("use"), jwk.Get("alg")
	if jwk.Has("d") || use.given() && !use.isText("sig") ||
		alg.given() && !alg.isText("EdDSA") && !alg.isText("Ed25519") {
		return nil
	}
	if jwk.Get("kty").isText("OKP") && jwk.Get("crv").isText("Ed25519") {
		x, ok := decodeBase64(base64.RawURLEncoding, jwk.Get("x").text())
		if ok = ok && len(x) == 32; ok && key != nil && !bytes.Equal(x, key) {
			return nil
		} else if ok {
			key = x
		}
	}
	if key == nil || !strictPoint(key) {
		return nil
	}
	return key
}

// contextUnprotected reports whether a key's receipts of that time may leave the context out of the hash.
func (set *KeySet) contextUnprotected(kid string, signed time.Time) bool {
	if set == nil || len(set.keys[kid]) != 1 {
		return false
	}
	limit, ok := ParseTime(set.keys[kid][0].Get("contextUnprotectedBefore"))
	return ok && limit.After(signed)
}
