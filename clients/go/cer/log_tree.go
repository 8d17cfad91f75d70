package cer

import (
	"bytes"
	"crypto/sha256"
	"math/bits"
	"slices"
)

// digest is a SHA-256.
type digest = [sha256.Size]byte

// emptyRoot is the root of a tree without leaves.
var emptyRoot = sha256.Sum256(nil)

func leafHash(entry []byte) digest { return sha256.Sum256(append([]byte{0}, entry...)) }

func nodeHash(prefix byte, left, right digest) digest {
	return sha256.Sum256(slices.Concat([]byte{prefix}, left[:], right[:]))
}

// splitPoint is the largest power of two below a size of at least 2: where RFC 6962 divides a tree.
func splitPoint(size uint64) uint64 { return 1 << (bits.Len64(size-1) - 1) }

// last cuts the last hash off a path; it is false for an empty one.
func last(path []digest) (rest []digest, hash digest, ok bool) {
	if len(path) == 0 {
		return nil, digest{}, false
	}
	return path[:len(path)-1], path[len(path)-1], true
}

// rootByInclusion computes the root to which a path leads, by the definition of PATH in RFC 6962, 2.1.1. It is false
// where the path has not exactly the hashes of this place.
func rootByInclusion(leaf digest, index, size uint64, path []digest) (digest, bool) {
	if index >= size {
		return digest{}, false
	}
	if size == 1 {
		return leaf, len(path) == 0
	}
	rest, sibling, ok := last(path)
	if !ok {
		return digest{}, false
	}
	k := splitPoint(size)
	if index < k {
		left, ok := rootByInclusion(leaf, index, k, rest)
		return nodeHash(1, left, sibling), ok
	}
	right, ok := rootByInclusion(leaf, index-k, size-k, rest)
	return nodeHash(1, sibling, right), ok
}

// consistent reports whether a path shows that the first tree is the beginning of the second. From an empty tree, and
// between equal ones, it is empty.
func consistent(size1, size2 uint64, root1, root2 digest, path []digest) bool {
	switch {
	case size1 > size2, size1 == 0 && root1 != emptyRoot, size1 == size2 && root1 != root2:
		return false
	case size1 == 0, size1 == size2:
		return len(path) == 0
	}
	old, grown, ok := rootsByConsistency(size1, size2, &root1, path)
	return ok && old == root1 && grown == root2
}

// rootsByConsistency computes both roots by the definition of SUBPROOF in RFC 6962, 2.1.2. Known is the root of the
// first tree while all of it is the left of what is looked at.
func rootsByConsistency(size1, size2 uint64, known *digest, path []digest) (old, grown digest, ok bool) {
	if size1 == size2 {
		if known != nil {
			return *known, *known, len(path) == 0
		}
		rest, hash, ok := last(path)
		return hash, hash, ok && len(rest) == 0
	}
	rest, sibling, ok := last(path)
	if !ok {
		return digest{}, digest{}, false
	}
	k := splitPoint(size2)
	if size1 <= k {
		old, left, ok := rootsByConsistency(size1, k, known, rest)
		return old, nodeHash(1, left, sibling), ok
	}
	oldRight, right, ok := rootsByConsistency(size1-k, size2-k, nil, rest)
	return nodeHash(1, sibling, oldRight), nodeHash(1, sibling, right), ok
}

// rootOfPeaks folds the roots of the perfect subtrees of a tree, largest first.
func rootOfPeaks(size uint64, peaks []digest) (digest, bool) {
	if len(peaks) != bits.OnesCount64(size) {
		return digest{}, false
	}
	rest, root, ok := last(peaks)
	if !ok {
		return emptyRoot, true
	}
	for i := len(rest) - 1; i >= 0; i-- {
		root = nodeHash(1, rest[i], root)
	}
	return root, true
}

// mapElement is the head of one tenant's tree in the map of an epoch.
type mapElement struct{ key, value digest }

// mapRoot is the root of the sparse map over elements with different keys.
//
// See docs/spec.md, "Transparency log".
func mapRoot(elements []mapElement) digest {
	sorted := slices.Clone(elements)
	slices.SortFunc(sorted, func(a, b mapElement) int { return bytes.Compare(a.key[:], b.key[:]) })
	return mapRootFrom(sorted, 0)
}

func mapRootFrom(elements []mapElement, depth int) digest {
	switch len(elements) {
	case 0:
		return digest{}
	case 1:
		return nodeHash(2, elements[0].key, elements[0].value)
	}
	cut := slices.IndexFunc(elements, func(e mapElement) bool { return e.key[depth/8]>>(7-depth%8)&1 == 1 })
	if cut < 0 {
		cut = len(elements)
	}
	return nodeHash(3, mapRootFrom(elements[:cut], depth+1), mapRootFrom(elements[cut:], depth+1))
}
