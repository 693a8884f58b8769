package bedrock

import "encoding/binary"

// webpSize reads the size of a WebP image from its first chunk, as the container
// specification has it: https://developers.google.com/speed/webp/docs/riff_container
func webpSize(data []byte) (width, height int, err error) {
	const header = 30 // RIFF header, chunk header and the longest of the size fields
	if len(data) < header {
		return 0, 0, errImage
	}
	chunk := data[20:]
	switch string(data[12:16]) {
	case "VP8 ":
		if chunk[3] != 0x9d || chunk[4] != 0x01 || chunk[5] != 0x2a { // start code of a key frame
			return 0, 0, errImage
		}
		const size = 1<<14 - 1 // above it are two bits of scaling
		return int(binary.LittleEndian.Uint16(chunk[6:])) & size, int(binary.LittleEndian.Uint16(chunk[8:])) & size, nil
	case "VP8L":
		const signature = 0x2f
		if chunk[0] != signature {
			return 0, 0, errImage
		}
		bits := binary.LittleEndian.Uint32(chunk[1:])
		const side = 1<<14 - 1
		return int(bits&side) + 1, int(bits>>14&side) + 1, nil
	case "VP8X":
		return uint24(chunk[4:]) + 1, uint24(chunk[7:]) + 1, nil
	}
	return 0, 0, errImage
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
