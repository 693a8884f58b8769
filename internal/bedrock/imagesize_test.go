package bedrock

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"
)

// encoded are images of all kinds that the standard library can write.
func encoded(t testing.TB, width, height int) map[string][]byte {
	t.Helper()
	r := image.Rect(0, 0, width, height)
	kinds := map[string]image.Image{
		"grey": image.NewGray(r), "grey 16": image.NewGray16(r), "rgba": image.NewNRGBA(r), "rgba 64": image.NewNRGBA64(r),
		"two colours": image.NewPaletted(r, color.Palette{color.White, color.Black}), "opaque": image.NewYCbCr(r, image.YCbCrSubsampleRatio420),
	}
	files := map[string][]byte{}
	for kind, img := range kinds {
		var asPNG, asJPEG, asGIF bytes.Buffer
		errs := []error{png.Encode(&asPNG, img), jpeg.Encode(&asJPEG, img, nil)}
		if kind == "two colours" || kind == "grey" { // with a small palette and a full one
			errs = append(errs, gif.Encode(&asGIF, img, nil))
		}
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
		files["png "+kind], files["jpeg "+kind] = asPNG.Bytes(), asJPEG.Bytes()
		if asGIF.Len() > 0 {
			files["gif "+kind] = asGIF.Bytes()
		}
	}
	return files
}

func TestEncodedSizes(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{X: 1, Y: 1}, {X: 31, Y: 7}, {X: 7, Y: 300}, {X: 8000, Y: 2}, {X: 1, Y: 8001}} {
		for kind, data := range encoded(t, size.X, size.Y) {
			format, ok := sniffImage(data)
			width, height, err := imageSize(data, format)
			if !ok || err != nil || width != size.X || height != size.Y {
				t.Errorf("%s of %v: %d x %d, %v", kind, size, width, height, err)
			}
		}
	}
}

// agrees checks that what the standard library reads is read alike: it refuses
// no less, since it reads on behind the size.
func agrees(t *testing.T, data []byte) {
	t.Helper()
	format, ok := sniffImage(data)
	if !ok {
		return
	}
	width, height, err := imageSize(data, format)
	c, name, stdErr := image.DecodeConfig(bytes.NewReader(data))
	if stdErr == nil && (err != nil || width != c.Width || height != c.Height) {
		t.Errorf("%s of %d x %d is %d x %d, %v\n%x", name, c.Width, c.Height, width, height, err, data[:min(64, len(data))])
	}
	if err != nil && (width != 0 || height != 0) {
		t.Errorf("%d x %d and %v", width, height, err)
	}
}

// TestDamagedImages cuts images off everywhere, and changes every byte.
func TestDamagedImages(t *testing.T) {
	t.Parallel()
	header := map[string]int{"png": 64, "jpeg": 700, "gif": 800} // bytes, and more than any has
	for kind, data := range encoded(t, 31, 7) {
		format, _, _ := strings.Cut(kind, " ")
		data = data[:min(header[format], len(data))]
		for i := range data {
			agrees(t, data[:i])
			for _, to := range []byte{0, 1, 0xc0, 0xd9, 0xff, data[i] ^ 1, data[i] ^ 0x80} {
				changed := slices.Clone(data)
				changed[i] = to
				agrees(t, changed)
			}
		}
	}
}

func FuzzImageSize(f *testing.F) {
	for _, data := range encoded(f, 31, 7) {
		f.Add(data)
	}
	f.Fuzz(agrees)
}

// ihdr is a PNG header, with the right checksum, of 1 x 1 pixels at first.
func ihdr(change func([]byte)) []byte {
	data := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00")
	change(data[16:])
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(data[12:]))
}

// sof is a JPEG of a frame header behind other bytes.
func sof(before string, marker byte, frame string) []byte {
	length := binary.BigEndian.AppendUint16(nil, uint16(len(frame)+2))
	return slices.Concat([]byte("\xff\xd8"+before+"\xff"), []byte{marker}, length, []byte(frame))
}

func TestImageHeaders(t *testing.T) {
	t.Parallel()
	const frame = "\x08\x00\x07\x00\x1f\x01\x01\x11\x00"
	for _, tt := range []struct {
		name          string
		data          []byte
		width, height int // 0: damaged
	}{
		{"png", ihdr(func([]byte) {}), 1, 1},
		{"png of the largest size", ihdr(func(b []byte) { copy(b, "\x7f\xff\xff\xff\x7f\xff\xff\xff") }), 1<<31 - 1, 1<<31 - 1},
		{"png of a negative size", ihdr(func(b []byte) { b[0] = 0x80 }), 0, 0},
		{"png of no size", ihdr(func(b []byte) { b[3] = 0 }), 0, 1},
		{"png of a depth that its colours do not have", ihdr(func(b []byte) { b[8] = 4 }), 0, 0},
		{"png of unknown colours", ihdr(func(b []byte) { b[9] = 1 }), 0, 0},
		{"png of unknown compression", ihdr(func(b []byte) { b[10] = 1 }), 0, 0},
		{"png of an unknown filter", ihdr(func(b []byte) { b[11] = 1 }), 0, 0},
		{"png that is interlaced", ihdr(func(b []byte) { b[12] = 1 }), 1, 1},
		{"png of unknown interlacing", ihdr(func(b []byte) { b[12] = 2 }), 0, 0},
		{"png with a wrong checksum", append(ihdr(func([]byte) {})[:29], 1, 2, 3, 4), 0, 0},
		{"png that begins with another chunk", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIDAT\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90\x77\x53\xde"), 0, 0},
		{"gif without colours", []byte("GIF87a\x1f\x00\x07\x00\x00\x00\x00"), 31, 7},
		{"gif whose colours are cut off", []byte("GIF89a\x1f\x00\x07\x00\x80\x00\x00\x01\x02\x03\x04\x05"), 0, 0},
		{"gif that is cut off", []byte("GIF89a\x1f\x00\x07\x00\x00\x00"), 0, 0},
		{"progressive jpeg", sof("", 0xc2, frame), 31, 7},
		{"extended jpeg behind all that may be there", sof("\xff\xe0\x00\x03\xff\xff\xfe\x00\x02junk\xff\x00\xff\xd0\xff\xff\xdb\x00\x02\xff\xdd\x00\x02\xff\xc4\x00\x02", 0xc1, frame), 31, 7},
		{"jpeg with a thumbnail in a segment", sof("\xff\xe1\x00\x0d\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x01", 0xc0, frame), 31, 7},
		{"lossless jpeg", sof("", 0xc3, frame), 0, 0},
		{"arithmetic jpeg", sof("", 0xc9, frame), 0, 0},
		{"jpeg of twelve bits", sof("", 0xc1, "\x0c"+frame[1:]), 0, 0},
		{"jpeg of two components", sof("", 0xc0, "\x08\x00\x07\x00\x1f\x02\x01\x11\x00\x02\x11\x00"), 0, 0},
		{"jpeg for print", sof("", 0xc0, "\x08\x00\x07\x00\x1f\x04\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00"), 31, 7},
		{"jpeg with a component missing", sof("", 0xc0, "\x08\x00\x07\x00\x1f\x03\x01\x11\x00\x02\x11\x00"), 0, 0},
		{"jpeg with a short frame", sof("", 0xc0, "\x08\x00\x07\x00\x1f"), 0, 0},
		{"jpeg with its scan first", sof("\xff\xda\x00\x02", 0xc0, frame), 0, 0},
		{"jpeg that ends first", sof("\xff\xd9", 0xc0, frame), 0, 0},
		{"jpeg with a segment of no length", sof("\xff\xe0\x00\x01", 0xc0, frame), 0, 0},
		{"jpeg with a segment that is too long", sof("\xff\xe0\xff\xff", 0xc0, frame), 0, 0},
		{"jpeg that is cut off in a length", []byte("\xff\xd8\xff\xe0\x00"), 0, 0},
		{"jpeg without a frame", []byte("\xff\xd8\xff\xff\xff"), 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			format, ok := sniffImage(tt.data)
			if !ok {
				t.Fatal("not recognized")
			}
			width, height, err := imageSize(tt.data, format)
			if width != tt.width || height != tt.height || (err == nil) != (width+height > 0) {
				t.Errorf("%d x %d, %v", width, height, err)
			}
			agrees(t, tt.data)
		})
	}
}
