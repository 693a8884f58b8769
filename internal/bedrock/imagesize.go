package bedrock

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

var errImage = errors.New("not the header of such an image")

// imageSize reads an image's size from its header, without decoding the image.
// The packages of the standard library would do, but are decoders first, which
// the functions would carry and never use.
func imageSize(data []byte, format types.ImageFormat) (width, height int, err error) {
	switch format {
	case types.ImageFormatPng:
		return pngSize(data)
	case types.ImageFormatJpeg:
		return jpegSize(data)
	case types.ImageFormatGif:
		return gifSize(data)
	case types.ImageFormatWebp:
		return webpSize(data)
	}
	return 0, 0, errImage
}

// pngDepths are the bit depths of each colour type.
var pngDepths = map[byte][]byte{0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}

// pngSize reads the IHDR chunk: https://www.w3.org/TR/png-3/#11IHDR
func pngSize(data []byte) (width, height int, err error) {
	const (
		signature = 8
		chunk     = signature + 4 // what the checksum is of: type and contents
		end       = chunk + 4 + 13
	)
	if len(data) < end+4 || string(data[signature:chunk+4]) != "\x00\x00\x00\x0dIHDR" ||
		crc32.ChecksumIEEE(data[chunk:end]) != binary.BigEndian.Uint32(data[end:]) {
		return 0, 0, errImage
	}
	header := data[chunk+4 : end]
	depth, colour, compression, filter, interlace := header[8], header[9], header[10], header[11], header[12]
	if bytes.IndexByte(pngDepths[colour], depth) < 0 || compression != 0 || filter != 0 || interlace > 1 {
		return 0, 0, errImage
	}
	const most = 1<<31 - 1
	w, h := binary.BigEndian.Uint32(header), binary.BigEndian.Uint32(header[4:])
	if w > most || h > most {
		return 0, 0, errImage
	}
	return int(w), int(h), nil
}

// gifSize reads the logical screen descriptor, and wants the colours that it
// promises: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
func gifSize(data []byte) (width, height int, err error) {
	const (
		header  = 6 + 7 // signature and descriptor
		colours = 0x80
		size    = 0x07
	)
	if len(data) < header {
		return 0, 0, errImage
	}
	flags := data[10]
	if flags&colours != 0 && len(data) < header+3<<(flags&size+1) {
		return 0, 0, errImage
	}
	return int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:])), nil
}

// Markers of JPEG: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, table B.1.
const (
	jpegSOF0 = 0xc0 // frames that decoders in use know: baseline,
	jpegSOF1 = 0xc1 // extended,
	jpegSOF2 = 0xc2 // and progressive
	jpegDHT  = 0xc4
	jpegRST0 = 0xd0
	jpegRST7 = 0xd7
	jpegDQT  = 0xdb
	jpegDRI  = 0xdd
	jpegAPP0 = 0xe0
	jpegAPPF = 0xef
	jpegCOM  = 0xfe
)

// jpegSize goes from segment to segment until there is a frame header.
func jpegSize(data []byte) (width, height int, err error) {
	if len(data) < 2 {
		return 0, 0, errImage
	}
	for data = data[2:]; ; {
		marker, rest := jpegMarker(data)
		if len(rest) < 2 {
			return 0, 0, errImage
		}
		length := int(binary.BigEndian.Uint16(rest))
		if length < 2 || length > len(rest) {
			return 0, 0, errImage
		}
		segment := rest[2:length]
		switch {
		case marker == jpegSOF0, marker == jpegSOF1, marker == jpegSOF2:
			return jpegFrame(segment)
		case marker == jpegDHT, marker == jpegDQT, marker == jpegDRI, marker == jpegCOM, marker >= jpegAPP0 && marker <= jpegAPPF:
			data = rest[length:]
		default:
			return 0, 0, errImage
		}
	}
}

// jpegMarker finds the next marker with a segment behind it. Bytes between
// segments, fill bytes and restart markers are passed over, as decoders do. Without
// a marker nothing is left.
func jpegMarker(data []byte) (marker byte, rest []byte) {
	for i := 0; i+1 < len(data); i++ {
		if next := data[i+1]; data[i] == 0xff && next != 0 && next != 0xff && (next < jpegRST0 || next > jpegRST7) {
			return next, data[i+2:]
		}
	}
	return 0, nil
}

// jpegFrame reads a frame header of eight bits a sample.
func jpegFrame(segment []byte) (width, height int, err error) {
	const header, component = 6, 3
	if len(segment) < header || segment[0] != 8 || len(segment) != header+component*int(segment[5]) {
		return 0, 0, errImage
	}
	switch segment[5] {
	case 1, 3, 4: // grey, colour, and colour for print
		return int(binary.BigEndian.Uint16(segment[3:])), int(binary.BigEndian.Uint16(segment[1:])), nil
	}
	return 0, 0, errImage
}
