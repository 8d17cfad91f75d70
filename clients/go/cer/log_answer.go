package cer

import (
	"encoding/base64"
	"encoding/hex"
)

// AnswerLog evaluates one case file of the command log of the conformance suite.
func AnswerLog(file *Value) *Value {
	kinds := map[string]func(*Value) *Value{
		"inclusion": inclusionAnswer, "consistency": consistencyAnswer, "leaf": leafAnswer, "map": mapAnswer,
		"peaks": peaksAnswer, "proof": proofAnswer, "policy": policyAnswer,
	}
	answer, known := kinds[file.Get("kind").text()]
	if !known {
		return members("notBuilt", textValue("this kind of case"))
	}
	return answer(file)
}

func members(name string, value *Value) *Value {
	result := newObject()
	result.set(name, value)
	return result
}

func hashText(hash []byte) *Value { return textValue("sha256:" + hex.EncodeToString(hash)) }

// hashesOf reads a list of hashes; it is false where one of them is none.
func hashesOf(v *Value) ([]digest, bool) {
	hashes := []digest{}
	for _, item := range v.Items {
		hash, ok := hashOf(item)
		if !ok {
			return nil, false
		}
		hashes = append(hashes, hash)
	}
	return hashes, true
}

func inclusionAnswer(file *Value) *Value {
	index, ok1 := natural(file.Get("leafIndex"))
	size, ok2 := natural(file.Get("treeSize"))
	leaf, ok3 := hashOf(file.Get("leafHash"))
	root, ok4 := hashOf(file.Get("root"))
	path, ok5 := hashesOf(file.Get("path"))
	found, ok := rootByInclusion(leaf, index, size, path)
	return members("valid", truth(ok1 && ok2 && ok3 && ok4 && ok5 && ok && found == root))
}

func consistencyAnswer(file *Value) *Value {
	size1, ok1 := natural(file.Get("size1"))
	size2, ok2 := natural(file.Get("size2"))
	root1, ok3 := hashOf(file.Get("root1"))
	root2, ok4 := hashOf(file.Get("root2"))
	path, ok5 := hashesOf(file.Get("path"))
	return members("valid", truth(ok1 && ok2 && ok3 && ok4 && ok5 && consistent(size1, size2, root1, root2, path)))
}

func leafAnswer(file *Value) *Value {
	seed, ok1 := decodeBase64(base64.RawURLEncoding, file.Get("seed").text())
	receipt, ok2 := receiptDigest(file.Get("receipt"), file.Get("signature").text())
	made, ok3 := makeLeaf(seed, receipt, file.Get("label"))
	if !ok1 || !ok2 || !ok3 {
		return newObject()
	}
	tag := tenantTag(file.Get("nodeId").text(), file.Get("tenantId").text())
	hash := made.hash()
	result := members("entry", textValue(hex.EncodeToString(made.entry)))
	for name, hash := range map[string][]byte{
		"tenant": tag[:], "receiptDigest": receipt[:], "receiptCommitment": made.receiptCommitment,
		"tenantCommitment": made.tenantCommitment, "leafHash": hash[:],
	} {
		result.set(name, hashText(hash))
	}
	return result
}

func mapAnswer(file *Value) *Value {
	elements := []mapElement{}
	for _, item := range file.Get("elements").Items {
		key, ok1 := hashOf(item.Get("key"))
		value, ok2 := hashOf(item.Get("value"))
		if !ok1 || !ok2 {
			return newObject()
		}
		elements = append(elements, mapElement{key, value})
	}
	root := mapRoot(elements)
	return members("root", hashText(root[:]))
}

func peaksAnswer(file *Value) *Value {
	size, ok1 := natural(file.Get("size"))
	peaks, ok2 := hashesOf(file.Get("peaks"))
	root, ok3 := rootOfPeaks(size, peaks)
	if !ok1 || !ok2 || !ok3 {
		return newObject()
	}
	return members("root", hashText(root[:]))
}

func proofAnswer(file *Value) *Value {
	policy, err := ParseLogPolicy(file.Get("policy").text())
	if err != nil {
		return newObject()
	}
	receipt := file.Get("receipt")
	stated := receipt.Get("timestamp")
	if stated == nil {
		stated = receipt.Get("registeredAt")
	}
	at, ok1 := ParseTime(stated)
	mmd, ok2 := natural(file.Get("mmdSeconds"))
	if !ok1 || !ok2 {
		return newObject()
	}
	claim := LogClaim{receipt, file.Get("signature").text(), at.Unix(), file.Get("proof").text(), nil, int64(mmd)}
	if notBefore := file.Get("notBefore"); notBefore.is(String) {
		claim.NotBefore = &notBefore.Text
	}
	return members("outcome", textValue(JudgeLogProof(claim, policy)))
}

func policyAnswer(file *Value) *Value {
	_, err := ParseLogPolicy(file.Get("policy").text())
	return members("valid", truth(err == nil))
}
