package cer

import (
	"crypto/ed25519"
	"encoding/base64"
	"math/big"
)

// The field and curve of Ed25519 (RFC 8032, section 5.1).
var (
	fieldP = sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	curveD = mul(big.NewInt(-121665), inv(big.NewInt(121666)))
)

func sub(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
func add(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
func inv(a *big.Int) *big.Int    { return new(big.Int).ModInverse(a, fieldP) }
func mul(a, b *big.Int) *big.Int {
	product := new(big.Int).Mul(a, b)
	return product.Mod(product, fieldP)
}

type point struct{ x, y *big.Int }

// decodePoint reads a canonical encoding of a point on the curve.
func decodePoint(encoded []byte) (point, bool) {
	if len(encoded) != 32 {
		return point{}, false
	}
	reversed := make([]byte, 32)
	for i, b := range encoded {
		reversed[31-i] = b
	}
	odd := uint(reversed[0] >> 7)
	reversed[0] &= 0x7F
	y := new(big.Int).SetBytes(reversed)
	if y.Cmp(fieldP) >= 0 {
		return point{}, false
	}
	one := big.NewInt(1)
	y2 := mul(y, y)
	x2 := mul(sub(y2, one), inv(add(mul(curveD, y2), one)))
	x := new(big.Int).ModSqrt(x2, fieldP)
	if x == nil {
		return point{}, false
	}
	if x.Bit(0) != odd {
		if x.Sign() == 0 {
			return point{}, false
		}
		x = sub(fieldP, x)
	}
	return point{x, y}, true
}

func (p point) double() point {
	x2, y2, one := mul(p.x, p.x), mul(p.y, p.y), big.NewInt(1)
	t := mul(curveD, mul(x2, y2))
	x := mul(mul(big.NewInt(2), mul(p.x, p.y)), inv(add(one, t)))
	y := mul(add(x2, y2), inv(sub(one, t)))
	return point{x, y}
}

// smallOrder reports whether eight times the point is the neutral element.
func (p point) smallOrder() bool {
	p = p.double().double().double()
	return p.x.Sign() == 0 && p.y.Cmp(big.NewInt(1)) == 0
}

func strictPoint(encoded []byte) bool {
	p, ok := decodePoint(encoded)
	return ok && !p.smallOrder()
}

// verifyStrict checks a signature under the strict rule. crypto/ed25519 refuses S at or above the group order.
//
// See docs/spec.md, "Signatures".
func verifyStrict(key []byte, message, signature string) bool {
	decoded, ok := decodeBase64(base64.RawURLEncoding, signature)
	return ok && verifyStrictBytes(key, []byte(message), decoded)
}

func verifyStrictBytes(key, message, signature []byte) bool {
	return len(signature) == ed25519.SignatureSize && strictPoint(key) && strictPoint(signature[:32]) &&
		ed25519.Verify(ed25519.PublicKey(key), message, signature)
}

// decodeBase64 accepts only the one canonical text of the bytes.
func decodeBase64(encoding *base64.Encoding, text string) ([]byte, bool) {
	decoded, err := encoding.Strict().DecodeString(text)
	return decoded, err == nil && encoding.EncodeToString(decoded) == text
}
