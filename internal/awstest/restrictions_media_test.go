package awstest

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// tiny is a 1x1 image; pad makes it longer than its data.
func tiny(format string, pad int) []byte {
	var b bytes.Buffer
	img := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.White})
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	case "webp": // the head of a lossless image
		b.WriteString("RIFF\x1e\x00\x00\x00WEBPVP8L\x11\x00\x00\x00\x2f\x00\x00\x00\x00")
		b.Write(make([]byte, 16))
	}
	if err != nil {
		panic(err)
	}
	return append(b.Bytes(), make([]byte, pad)...)
}

// pngOf is the head of a PNG image of a size.
func pngOf(width, height uint32) []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	head = binary.BigEndian.AppendUint32(head, height)
	head = append(head, 8, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	return binary.BigEndian.AppendUint32(append(out, head...), crc32.ChecksumIEEE(head))
}

func img(format string, b []byte) string {
	return `{"image":{"format":"` + format + `","source":{"bytes":"` + base64.StdEncoding.EncodeToString(b) + `"}}}`
}

func doc(name string, b []byte) string {
	return `{"document":{"name":"` + name + `","format":"txt","source":{"bytes":"` + base64.StdEncoding.EncodeToString(b) + `"}}}`
}

func mediaCases() []restrictionCase {
	small := img("png", tiny("png", 0))
	const see = `{"text":"see"}`
	docs := func(n int) (blocks []string) {
		for i := range n {
			blocks = append(blocks, doc("doc "+strings.Repeat("x", i+1), []byte("a")))
		}
		return append(blocks, see)
	}
	return []restrictionCase{
		{"R29", false, microID, ask(user(small))},
		{"R29", false, "anthropic.claude-3-5-haiku-20241022-v1:0", ask(user(small))},
		{"R29", false, llamaID, ask(user(small))},
		{"R29", false, gptOSSID, ask(user(small))},
		{"R29", false, "us.mistral.pixtral-large-2502-v1:0", tools(hi, useF, user(`{"toolResult":{"toolUseId":"a","content":[`+small+`]}}`))},
		{"R29", false, claude45, ask(user(`{"video":{"format":"mp4","source":{"bytes":"YQ=="}}}`))},
		{"R29", false, novaID, ask(user(`{"audio":{"format":"mp3","source":{"bytes":"YQ=="}}}`))},
		{"R29", true, novaID, ask(user(small, `{"video":{"format":"mp4","source":{"bytes":"YQ=="}}}`))},
		{"R29", true, "us.mistral.pixtral-large-2502-v1:0", ask(user(small))},
		{"R29", true, claude45, tools(hi, useF, user(`{"toolResult":{"toolUseId":"a","content":[`+small+`]}}`))},
		{"R30", false, claude45, ask(user(img("jpg", tiny("jpeg", 0))))},
		{"R30", false, claude45, ask(user(img("png", tiny("jpeg", 0))))},
		{"R30", false, claude45, ask(user(img("png", []byte("<svg/>"))))},
		{"R30", false, claude45, ask(user(img("png", tiny("png", 0)[:12])))},
		{"R30", false, claude45, ask(user(img("png", nil)))},
		{"R30", false, claude45, ask(user(`{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo"}}}`))},
		{"R30", false, unknownID, tools(hi, useF, user(`{"toolResult":{"toolUseId":"a","content":[`+img("gif", tiny("png", 0))+`]}}`))},
		{"R30", true, claude45, ask(user(small, img("jpeg", tiny("jpeg", 0)), img("gif", tiny("gif", 0)), img("webp", tiny("webp", 0))))},
		{"R30", true, claude45, ask(user(`{"image":{"format":"png","source":{"s3Location":{"uri":"s3://bucket/a.png"}}}}`))},
		{"R31", false, claude45, ask(user(img("png", tiny("png", maxImageBytes))))},
		{"R31", false, claude45, ask(user(img("png", pngOf(8001, 1))))},
		{"R31", false, novaID, ask(user(img("png", pngOf(1, 8001))))},
		{"R31", false, novaID, ask(user(strings.Split(strings.Repeat(small+";", 20)+small, ";")...))},
		{"R31", true, claude45, ask(user(img("png", pngOf(8000, 8000))))},
		{"R31", true, novaID, ask(user(strings.Split(strings.Repeat(small+";", 19)+small, ";")...))},
		{"R32", false, claude45, ask(user(see, doc("a.txt", []byte("a"))))},
		{"R32", false, claude45, ask(user(see, doc("a  b", []byte("a"))))},
		{"R32", false, claude45, ask(user(see, doc("", []byte("a"))))},
		{"R32", false, claude45, ask(user(see, doc("a", []byte("a")), doc("a", []byte("b"))))},
		{"R32", false, claude45, ask(user(doc("a", []byte("a"))))},
		{"R32", false, claude45, ask(user(docs(6)...))},
		{"R32", false, claude45, ask(user(see, doc("a", make([]byte, maxDocumentBytes+1))))},
		{"R32", true, claude45, ask(user(docs(5)...))},
		{"R32", true, claude45, ask(user(see, doc("a b-(c) [d]", []byte("a"))))},
		{"E3", false, claude45, ask(hi, assistant(small), hi)},
		{"E3", true, claude45, ask(user(small))},
	}
}

func TestImageConfig(t *testing.T) {
	t.Parallel()
	webp := func(kind string, rest ...byte) []byte {
		b := append([]byte("RIFF\x00\x00\x00\x00WEBP"+kind+"\x00\x00\x00\x00"), rest...)
		return append(b, make([]byte, 16)...)
	}
	for _, tc := range []struct {
		name          string
		bytes         []byte
		width, height int
		format        string
	}{
		{"png", pngOf(300, 200), 300, 200, "png"},
		{"jpeg", tiny("jpeg", 0), 1, 1, "jpeg"},
		{"gif", tiny("gif", 0), 1, 1, "gif"},
		{"lossy webp", webp("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 0x2c, 1, 0xc8, 0), 300, 200, "webp"},
		{"lossless webp", webp("VP8L", 0x2f, 0x2b, 0xc1, 0x31, 0), 300, 200, "webp"},
		{"extended webp", webp("VP8X", 0, 0, 0, 0, 0x2b, 1, 0, 0xc7, 0, 0), 300, 200, "webp"},
		{"other webp", webp("JUNK"), 0, 0, ""},
		{"text", []byte("<svg/>"), 0, 0, ""},
		{"nothing", nil, 0, 0, ""},
	} {
		if w, h, format := imageConfig(tc.bytes); w != tc.width || h != tc.height || format != tc.format {
			t.Errorf("%s: %dx%d %q, want %dx%d %q", tc.name, w, h, format, tc.width, tc.height, tc.format)
		}
	}
}
