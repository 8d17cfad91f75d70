package cer

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math"
	"slices"
)

const (
	leafType  = "svc.log-leaf.v1"
	maxNumber = 1<<53 - 1
	maxRanges = 100
)

// leaf is all that a node has of one entry of its log.
type leaf struct {
	receiptCommitment, tenantCommitment []byte
	entry                               []byte
}

func (l leaf) hash() digest { return leafHash(l.entry) }

// jcs writes the canonical form; it is false for a value that is not there or has none.
func jcs(v *Value) ([]byte, bool) {
	if v == nil {
		return nil, false
	}
	text, err := Canonicalize(v, JcsV1, "")
	return []byte(text), err == nil
}

func jcsTexts(list ...string) []byte {
	text, _ := jcs(texts(list))
	return text
}

func keyed(key, message []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return mac.Sum(nil)
}

// tenantTag names a tenant to those who know its id.
func tenantTag(nodeID, tenantID string) digest {
	return sha256.Sum256(jcsTexts("svc.log-tenant.v1", nodeID, tenantID))
}

// receiptDigest is what a leaf commits to of a receipt.
func receiptDigest(receipt *Value, signature string) (digest, bool) {
	if receipt == nil {
		return digest{}, false
	}
	both := newObject()
	both.set("receipt", receipt)
	both.set("signature", textValue(signature))
	text, ok := jcs(both)
	return sha256.Sum256(text), ok
}

// makeLeaf makes the leaf of a receipt from the seed of the leaf.
//
// See docs/spec.md, "Transparency log".
func makeLeaf(seed []byte, receipt digest, label *Value) (leaf, bool) {
	text, ok := jcs(label)
	return leafOf(keyed(keyed(seed, jcsTexts(leafType, "receipt")), receipt[:]),
		keyed(keyed(seed, jcsTexts(leafType, "tenant")), text)), ok
}

func leafOf(receiptCommitment, tenantCommitment []byte) leaf {
	both := sha256.Sum256(slices.Concat(receiptCommitment, tenantCommitment))
	return leaf{receiptCommitment, tenantCommitment, append([]byte{1}, both[:]...)}
}

// opening shows that a receipt is a leaf: to the public, or to the owner with the label.
type opening struct {
	receiptSalt      []byte
	tenantCommitment []byte
	// label is nil in a public opening.
	label *Value
}

func (o opening) leafOf(receipt digest) leaf {
	return leafOf(keyed(o.receiptSalt, receipt[:]), o.tenantCommitment)
}

// parseOpening reads the opening of a proof; the two forms that open no receipt are refused.
func parseOpening(text []byte) (opening, bool) {
	v, fault := Parse(text)
	if fault != nil || !v.Get("type").isText(leafType) {
		return opening{}, false
	}
	if written, ok := jcs(v); !ok || !bytes.Equal(written, text) {
		return opening{}, false
	}
	receiptSalt, ok := saltOf(v.Get("receiptSalt"))
	if !ok {
		return opening{}, false
	}
	switch {
	case hasExactly(v, "type", "receiptSalt", "tenantCommitment"):
		commitment, ok := hashOf(v.Get("tenantCommitment"))
		return opening{receiptSalt, commitment[:], nil}, ok
	case hasExactly(v, "type", "receiptSalt", "tenantSalt", "label"):
		tenantSalt, ok := saltOf(v.Get("tenantSalt"))
		label, written := jcs(v.Get("label"))
		return opening{receiptSalt, keyed(tenantSalt, label), v.Get("label")}, ok && written && isLeafLabel(v.Get("label"))
	}
	return opening{}, false
}

func hasExactly(v *Value, names ...string) bool {
	return v.is(Object) && len(v.Names) == len(names) && !slices.ContainsFunc(names, func(name string) bool { return !v.Has(name) })
}

func saltOf(v *Value) ([]byte, bool) {
	salt, ok := decodeBase64(base64.RawURLEncoding, v.text())
	return salt, ok && len(salt) == sha256.Size
}

// hashOf reads the bytes of a hash.
func hashOf(v *Value) (digest, bool) {
	if !IsHash(v) {
		return digest{}, false
	}
	decoded, err := hex.DecodeString(v.Text[len("sha256:"):])
	return digest(decoded), err == nil
}

// natural reads a size, an index or a number: a whole number up to 2^53-1.
func natural(v *Value) (uint64, bool) {
	if !v.is(Number) || v.Number < 0 || v.Number > maxNumber || v.Number != math.Trunc(v.Number) {
		return 0, false
	}
	return uint64(v.Number), true
}

var leafKinds = []string{"certificate", "hash-only", "reseal", "project", "again", "deletion"}

func isLeafLabel(v *Value) bool {
	names := []string{"appId", "at", "bundleType", "kind", "number", "tenant"}
	isDeletion := v.Get("kind").isText("deletion")
	if isDeletion {
		names = append(names, "deletes")
	}
	textOrNull := func(name string) bool { return v.Get(name).is(String) || v.Get(name).is(Null) }
	number, ok := natural(v.Get("number"))
	return hasExactly(v, names...) && textOrNull("appId") && textOrNull("bundleType") && v.Get("at").is(String) &&
		slices.Contains(leafKinds, v.Get("kind").text()) && ok && number > 0 && IsHash(v.Get("tenant")) &&
		(!isDeletion || areRanges(v.Get("deletes")))
}

// areRanges reports ascending ranges of numbers, at least one.
func areRanges(v *Value) bool {
	if !v.is(Array) || len(v.Items) == 0 || len(v.Items) > maxRanges {
		return false
	}
	before := uint64(0)
	for _, ends := range v.Items {
		if !ends.is(Array) || len(ends.Items) != 2 {
			return false
		}
		first, ok := natural(ends.Items[0])
		end, ok2 := natural(ends.Items[1])
		if !ok || !ok2 || first <= before || end < first {
			return false
		}
		before = end
	}
	return true
}
