package blob

import (
	"bytes"
	"encoding/binary"
	"io"

	"golang.org/x/image/riff"
)

// Cameras store pictures as the sensor saw them and note in EXIF how to turn
// them. This file reads that one number. The libraries for EXIF parse hundreds
// of tags into values that would be thrown away, thousands of lines for hostile
// bytes to explore; what follows only compares and indexes. Metadata that makes
// no sense means a picture that is not turned, never one that is refused.

const pngSignature = "\x89PNG\r\n\x1a\n"

const upright = 1

// orientation returns the EXIF orientation, 1 to 8, from a TIFF structure.
func orientation(tiff []byte) int {
	const tagOrientation, typeShort, entrySize = 0x0112, 3, 12
	order, ok := byteOrder(tiff)
	if !ok {
		return upright
	}
	start := int64(order.Uint32(tiff[4:]))
	if start+2 > int64(len(tiff)) {
		return upright
	}
	directory := tiff[start:]
	entries := directory[2:]
	for range order.Uint16(directory) {
		if len(entries) < entrySize {
			return upright
		}
		if order.Uint16(entries) == tagOrientation && order.Uint16(entries[2:]) == typeShort {
			if value := int(order.Uint16(entries[8:])); value >= 1 && value <= 8 {
				return value
			}
			return upright
		}
		entries = entries[entrySize:]
	}
	return upright
}

func byteOrder(tiff []byte) (binary.ByteOrder, bool) {
	switch {
	case len(tiff) < 8:
		return nil, false
	case string(tiff[:4]) == "II*\x00":
		return binary.LittleEndian, true
	case string(tiff[:4]) == "MM\x00*":
		return binary.BigEndian, true
	}
	return nil, false
}

// exifPrefix begins the EXIF segment of a JPEG; some writers put it before the
// EXIF of other formats too.
var exifPrefix = []byte("Exif\x00\x00")

// jpegEXIF returns the TIFF structure in the first EXIF segment.
func jpegEXIF(data []byte) []byte {
	const app1, startOfScan, endOfImage, fill = 0xe1, 0xda, 0xd9, 0xff
	data = data[2:]
	for len(data) >= 4 && data[0] == 0xff {
		marker := data[1]
		if marker == fill {
			data = data[1:]
			continue
		}
		size := int(binary.BigEndian.Uint16(data[2:]))
		if marker == startOfScan || marker == endOfImage || size < 2 || len(data) < 2+size {
			return nil
		}
		body := data[4 : 2+size]
		if tiff, ok := bytes.CutPrefix(body, exifPrefix); ok && marker == app1 {
			return tiff
		}
		data = data[2+size:]
	}
	return nil
}

// pngEXIF returns the TIFF structure in the eXIf chunk.
func pngEXIF(data []byte) []byte {
	const frame = 12 // length, type, checksum
	data = data[len(pngSignature):]
	for len(data) >= frame {
		size := int64(binary.BigEndian.Uint32(data))
		if size > int64(len(data)-frame) {
			return nil
		}
		if string(data[4:8]) == "eXIf" {
			return bytes.TrimPrefix(data[8:8+size], exifPrefix)
		}
		data = data[frame+size:]
	}
	return nil
}

// webpEXIF returns the TIFF structure in the EXIF chunk, which stands behind
// the pixels.
func webpEXIF(data []byte) []byte {
	_, chunks, err := riff.NewReader(bytes.NewReader(data))
	for err == nil {
		var id riff.FourCC
		var body io.Reader
		id, _, body, err = chunks.Next()
		if err == nil && id == (riff.FourCC{'E', 'X', 'I', 'F'}) {
			tiff, _ := io.ReadAll(body) // a chunk cut off has nothing to say
			return bytes.TrimPrefix(tiff, exifPrefix)
		}
	}
	return nil
}
