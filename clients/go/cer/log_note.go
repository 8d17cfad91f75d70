package cer

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const (
	maxNoteBytes = 256 << 10
	maxNoteLines = 64
)

// The types of keys: a log signs the text of a checkpoint, a witness a time and the text.
const (
	logKey     byte = 1
	witnessKey byte = 4
)

// noteKey is a verifier key of signed notes.
type noteKey struct {
	name string
	id   [4]byte
	kind byte
	raw  []byte
}

var vkeyForm = regexp.MustCompile(`^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$`)

// parseVkey reads <name>+<id>+<base64 of type and key>.
func parseVkey(text string) (noteKey, bool) {
	parts := vkeyForm.FindStringSubmatch(text)
	if parts == nil || !isKeyName(parts[1]) {
		return noteKey{}, false
	}
	typed, ok := decodeBase64(base64.StdEncoding, parts[3])
	if !ok || len(typed) != 1+ed25519.PublicKeySize || typed[0] != logKey && typed[0] != witnessKey || !strictPoint(typed[1:]) {
		return noteKey{}, false
	}
	sum := sha256.Sum256(append([]byte(parts[1]+"\n"), typed...))
	key := noteKey{parts[1], [4]byte(sum[:4]), typed[0], typed[1:]}
	return key, fmt.Sprintf("%x", key.id) == parts[2]
}

func isKeyName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r == '+' || r == '\uFEFF' || unicode.IsSpace(r) || unicode.IsControl(r)
	})
}

// noteLine is one signature line, not judged yet.
type noteLine struct {
	name      string
	id        [4]byte
	signature []byte
}

// checkpoint is the signed head of a log.
type checkpoint struct {
	origin string
	size   uint64
	root   digest
	text   string
	lines  []noteLine
}

// parseCheckpoint reads a signed checkpoint without judging its signatures. Extension lines are refused.
//
// See https://c2sp.org/signed-note and https://c2sp.org/tlog-checkpoint.
func parseCheckpoint(note string) (checkpoint, bool) {
	if len(note) > maxNoteBytes || !wellFormed(note) || !strings.HasSuffix(note, "\n") ||
		strings.ContainsFunc(note, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
		return checkpoint{}, false
	}
	gap := strings.LastIndex(note, "\n\n")
	if gap < 0 {
		return checkpoint{}, false
	}
	text, signed := note[:gap+1], strings.Split(strings.TrimSuffix(note[gap+2:], "\n"), "\n")
	parts := strings.Split(text, "\n")
	if len(signed) > maxNoteLines || len(parts) != 4 || parts[0] == "" {
		return checkpoint{}, false
	}
	size, ok := decimal(parts[1])
	root, ok2 := hashIn64(parts[2])
	if !ok || !ok2 || size == 0 && root != emptyRoot {
		return checkpoint{}, false
	}
	c := checkpoint{origin: parts[0], size: size, root: root, text: text}
	for _, line := range signed {
		parsed, ok := parseNoteLine(line)
		if !ok {
			return checkpoint{}, false
		}
		c.lines = append(c.lines, parsed)
	}
	return c, true
}

func parseNoteLine(line string) (noteLine, bool) {
	rest, ok := strings.CutPrefix(line, "\u2014 ")
	name, encoded, ok2 := strings.Cut(rest, " ")
	decoded, ok3 := decodeBase64(base64.StdEncoding, encoded)
	if !ok || !ok2 || !ok3 || !isKeyName(name) || len(decoded) < 5 {
		return noteLine{}, false
	}
	return noteLine{name, [4]byte(decoded[:4]), decoded[4:]}, true
}

func (l noteLine) isOf(key noteKey) bool { return l.name == key.name && l.id == key.id }

// lastTime is the last second of the year 9999: a later time has no form in ISO 8601 with four digits for the year.
const lastTime = 253_402_300_799

// verify checks the line under its key; of a witness it returns the time, in seconds since 1970.
func (l noteLine) verify(text string, key noteKey) (seconds int64, ok bool) {
	message, signature := text, l.signature
	if key.kind == witnessKey {
		if len(signature) < 8 {
			return 0, false
		}
		at := binary.BigEndian.Uint64(signature)
		if at > lastTime {
			return 0, false
		}
		seconds, signature = int64(at), signature[8:]
		message = "cosignature/v1\ntime " + strconv.FormatInt(seconds, 10) + "\n" + text
	}
	return seconds, verifyStrictBytes(key.raw, []byte(message), signature)
}

// decimal reads a size or an index: digits without leading zeros, up to 2^53-1.
func decimal(text string) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 53)
	return n, err == nil && strconv.FormatUint(n, 10) == text
}

func hashIn64(text string) (digest, bool) {
	decoded, ok := decodeBase64(base64.StdEncoding, text)
	if !ok || len(decoded) != sha256.Size {
		return digest{}, false
	}
	return digest(decoded), true
}

func (k noteKey) sameKey(other noteKey) bool { return bytes.Equal(k.raw, other.raw) }
