package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/transparency-dev/formats/log"
	fnote "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const tileHeight = 8

// A log below an address, read by tiles.
type remoteLog struct {
	address string
	// Tiles that were read, by path: each proof asks for the same ones again.
	tiles map[string][]byte
}

func (l remoteLog) get(path string) ([]byte, error) {
	response, err := http.Get(l.address + "/" + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d", path, response.StatusCode)
	}
	return io.ReadAll(response.Body)
}

func (l remoteLog) Height() int { return tileHeight }

func (l remoteLog) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, tile := range tiles {
		// The checksum database has the height in its paths, tlog-tiles does not.
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", tileHeight), "tile/", 1)
		if _, known := l.tiles[path]; !known {
			bytes, err := l.get(path)
			if err != nil {
				return nil, err
			}
			l.tiles[path] = bytes
		}
		data[i] = l.tiles[path]
	}
	return data, nil
}

func (l remoteLog) SaveTiles([]tlog.Tile, [][]byte) {}

// Opens the checkpoint of a log with its key and those of witnesses, all of which must have signed.
func (l remoteLog) checkpoint(vkey string, witnesses []string) (tlog.Tree, []byte, error) {
	raw, err := l.get("checkpoint")
	if err != nil {
		return tlog.Tree{}, nil, err
	}
	tree, err := openCheckpoint(raw, vkey, witnesses)
	return tree, raw, err
}

func openCheckpoint(raw []byte, vkey string, witnesses []string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return tlog.Tree{}, err
	}
	others := []note.Verifier{}
	for _, witness := range witnesses {
		other, err := fnote.NewVerifierForCosignatureV1(witness)
		if err != nil {
			return tlog.Tree{}, err
		}
		others = append(others, other)
	}
	checkpoint, _, opened, err := log.ParseCheckpoint(raw, verifier.Name(), verifier, others...)
	if err != nil {
		return tlog.Tree{}, err
	}
	if len(opened.Sigs) != 1+len(witnesses) {
		return tlog.Tree{}, fmt.Errorf("%d signatures were verified, expected %d", len(opened.Sigs), 1+len(witnesses))
	}
	tree := tlog.Tree{N: int64(checkpoint.Size)}
	copy(tree.Hash[:], checkpoint.Hash)
	return tree, nil
}

// read ADDRESS VKEY [WITNESS VKEY]...: every entry against the signed tree, and consistency from every size.
func readLog(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: read ADDRESS VKEY [WITNESS VKEY]...")
	}
	remote := remoteLog{args[0], map[string][]byte{}}
	tree, _, err := remote.checkpoint(args[1], args[2:])
	if err != nil {
		return err
	}
	hashes := tlog.TileHashReader(tree, remote)
	for index := int64(0); index < tree.N; index += 256 {
		width := min(256, tree.N-index)
		path := tlog.Tile{H: tileHeight, L: 0, N: index / 256, W: int(width)}.Path()
		bundle, err := remote.get(strings.Replace(path, fmt.Sprintf("tile/%d/0/", tileHeight), "tile/entries/", 1))
		if err != nil {
			return err
		}
		for at := int64(0); at < width; at++ {
			if len(bundle) < 2 {
				return fmt.Errorf("the bundle at %d ends early", index)
			}
			length := int(binary.BigEndian.Uint16(bundle))
			if len(bundle) < 2+length {
				return fmt.Errorf("the bundle at %d ends within an entry", index)
			}
			entry := bundle[2 : 2+length]
			bundle = bundle[2+length:]
			proof, err := tlog.ProveRecord(tree.N, index+at, hashes)
			if err != nil {
				return err
			}
			if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index+at, tlog.RecordHash(entry)); err != nil {
				return fmt.Errorf("entry %d: %w", index+at, err)
			}
		}
		if len(bundle) != 0 {
			return fmt.Errorf("the bundle at %d has more than its entries", index)
		}
	}
	for size := int64(1); size <= tree.N; size++ {
		old, err := tlog.TreeHash(size, hashes)
		if err != nil {
			return err
		}
		proof, err := tlog.ProveTree(tree.N, size, hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, size, old); err != nil {
			return fmt.Errorf("size %d: %w", size, err)
		}
	}
	fmt.Printf("read %d entries, each in the signed tree; consistent from every size\n", tree.N)
	return nil
}
