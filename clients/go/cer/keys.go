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

// choose returns the public key for a signature of that time, or the code of the first finding.
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
	usable := len(entries) == 1
	for _, name := range []string{"createdAt", "notBefore", "retiredAt", "revokedAt", "compromisedSince", "contextUnprotectedBefore"} {
		limit, ok := ParseTime(entry.Get(name))
		if !ok {
			usable = usable && !entry.Get(name).given()
			continue
		}
		if name == "notBefore" && signed.Before(limit) || name == "retiredAt" && signed.After(limit) {
			return nil, "ATTESTATION_KEY_NOT_FOUND"
		}
	}
	status := entry.Get("status")
	if status.isText("revoked") || entry.Get("revokedAt").given() || entry.Get("compromisedSince").given() ||
		entry.Get("revocationReason").given() {
		return nil, "KEY_REVOKED"
	}
	if status.given() && !status.isText("active") && !status.isText("retired") {
		usable = false
	}
	key, ok := publicKey(entry)
	if !ok || !usable || !entry.Get("algorithm").isText("Ed25519") {
		return nil, "ATTESTATION_KEY_FORMAT_UNSUPPORTED"
	}
	return key, ""
}

func publicKey(entry *Value) ([]byte, bool) {
	decoded, ok := decodeBase64(base64.StdEncoding, entry.Get("publicKey").text())
	if !ok {
		return nil, false
	}
	key := decoded
	if len(decoded) != 32 {
		if len(decoded) != 44 || !bytes.HasPrefix(decoded, spkiPrefix) {
			return nil, false
		}
		key = decoded[12:]
	}
	if jwk := entry.Get("publicKeyJwk"); jwk.given() {
		if !jwk.Get("kty").isText("OKP") || !jwk.Get("crv").isText("Ed25519") ||
			!jwk.Get("x").isText(base64.RawURLEncoding.EncodeToString(key)) {
			return nil, false
		}
	}
	return key, strictPoint(key)
}

// contextUnprotected reports whether a key's receipts of that time may leave the context out of the hash.
func (set *KeySet) contextUnprotected(kid string, signed time.Time) bool {
	if set == nil || len(set.keys[kid]) != 1 {
		return false
	}
	limit, ok := ParseTime(set.keys[kid][0].Get("contextUnprotectedBefore"))
	return ok && limit.After(signed)
}
