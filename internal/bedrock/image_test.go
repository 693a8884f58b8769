package bedrock

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/openai"
)

// picture is an image of one colour.
func picture(t testing.TB, format types.ImageFormat, width, height int) []byte {
	t.Helper()
	var (
		buf bytes.Buffer
		err error
		img = image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White})
	)
	switch format {
	case types.ImageFormatPng:
		err = png.Encode(&buf, img)
	case types.ImageFormatJpeg:
		err = jpeg.Encode(&buf, img, nil)
	case types.ImageFormatGif:
		err = gif.Encode(&buf, img, nil)
	case types.ImageFormatWebp:
		return webp("VP8L", binary.LittleEndian.AppendUint32([]byte{0x2f}, uint32(width-1)|uint32(height-1)<<14))
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// webp is the start of a WebP image.
func webp(chunk string, payload []byte) []byte {
	data := append([]byte("RIFF\x00\x00\x00\x00WEBP"+chunk+"\x00\x00\x00\x00"), payload...)
	return append(data, make([]byte, 16)...)
}

func dataURL(mediaType string, data []byte) string {
	return "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(data)
}

func TestImageSizes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		data          []byte
		width, height int
	}{
		{"png", picture(t, types.ImageFormatPng, 31, 7), 31, 7},
		{"jpeg", picture(t, types.ImageFormatJpeg, 31, 7), 31, 7},
		{"gif", picture(t, types.ImageFormatGif, 31, 7), 31, 7},
		{"lossless webp", picture(t, types.ImageFormatWebp, 16383, 7), 16383, 7},
		{"lossy webp", webp("VP8 ", []byte{0, 0, 0, 0x9d, 0x01, 0x2a, 31, 0x40, 7, 0x80}), 31, 7},
		{"extended webp", webp("VP8X", []byte{0, 0, 0, 0, 0x3f, 0x1f, 0, 6, 0, 0}), 8000, 7},
		{"no lossy webp", webp("VP8 ", []byte{0, 0, 0, 1, 2, 3}), 0, 0},
		{"no lossless webp", webp("VP8L", []byte{0x2e}), 0, 0},
		{"no webp chunk", webp("VP8Z", nil), 0, 0},
		{"short webp", []byte("RIFF\x00\x00\x00\x00WEBPVP8L"), 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			format, ok := sniffImage(tt.data)
			if !ok {
				t.Fatal("not recognized")
			}
			width, height, err := imageSize(tt.data, format)
			if width != tt.width || height != tt.height || (err == nil) != (tt.width > 0) {
				t.Errorf("%d x %d, %v", width, height, err)
			}
		})
	}
}

// TestImageLimits covers R30 and R31: each fault names the part and sends nothing.
func TestImageLimits(t *testing.T) {
	t.Parallel()
	small := picture(t, types.ImageFormatPng, 1, 1)
	tests := []struct {
		name, url, fault string
	}{
		{"8000 pixels", dataURL("image/webp", picture(t, types.ImageFormatWebp, 8000, 8000)), ""},
		{"8001 pixels", dataURL("image/png", picture(t, types.ImageFormatPng, 8001, 1)), "8001 x 1 pixels"},
		{"3.75 MB", dataURL("image/png", append(small, make([]byte, maxImageBytes-len(small))...)), ""},
		{"bug-idp-778 one byte more", dataURL("image/png", append(small, make([]byte, maxImageBytes-len(small)+1)...)), "larger than 3.75 MB"},
		{"jpg", dataURL("image/jpg", picture(t, types.ImageFormatJpeg, 2, 2)), ""},
		{"parameters", strings.Replace(dataURL("image/png", small), ";base64", ";name=a.png;base64", 1), ""},
		{"missing padding", strings.TrimRight(dataURL("image/gif", picture(t, types.ImageFormatGif, 1, 1)), "="), ""},
		{"URL alphabet", "data:image/png;base64," + base64.URLEncoding.EncodeToString(small), ""},
		{"percent encoding", strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D").Replace(dataURL("image/png", small)), ""},
		{"tiff", dataURL("image/tiff", []byte("II*\x00")), "image/tiff"},
		{"text that says it is an image", dataURL("image/png", []byte("hello")), "of an unknown type"},
		{"svg in plain text", "data:image/svg+xml,%3Csvg%3E", "image/svg+xml"},
		{"a type that is no type", "data:<b>;base64,aGVsbG8=", "of an unknown type"},
		{"a type that is made up", "data:CANARY/secret;base64,aGVsbG8=", "of an unknown type"},
		{"a file", "file:///etc/passwd", "must be a data URL or an https URL"},
		{"no scheme", "picture.png", "must be a data URL or an https URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j, p := newJudge(t)
			_, err := p.Complete(t.Context(), imageRequest(t, dataURL("image/png", small), tt.url))
			if tt.fault == "" {
				if err != nil {
					t.Errorf("error %v: %s", err, j.sent[0].refusal)
				}
				return
			}
			e := openai.AsError(err)
			if e.Status != http.StatusBadRequest || e.Param != "messages[0].content[1].image_url.url" || !strings.Contains(e.Message, tt.fault) || len(j.sent) != 0 {
				t.Errorf("error %+v", e)
			}
		})
	}
}

// imageRequest is a request with a message of images.
func imageRequest(t testing.TB, urls ...string) *openai.ChatCompletionRequest {
	t.Helper()
	parts := make([]string, len(urls))
	for i, u := range urls {
		parts[i] = fmt.Sprintf(`{"type":"image_url","image_url":{"url":%q,"detail":"low"}}`, u)
	}
	return decodeRequest(t, fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":[%s]}]}`, claude45, strings.Join(parts, ",")))
}
