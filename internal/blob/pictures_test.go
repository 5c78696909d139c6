package blob_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"
)

// The files that the tests upload, made here byte by byte where the standard
// library has no encoder.

// The corners of quarters, clockwise from the top left.
var (
	red   = color.NRGBA{255, 0, 0, 255}
	green = color.NRGBA{0, 255, 0, 255}
	blue  = color.NRGBA{0, 0, 255, 255}
	white = color.NRGBA{255, 255, 255, 255}
)

// quarters is a picture that looks different however it is turned.
func quarters(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := [2][2]color.NRGBA{{red, green}, {white, blue}}[min(1, 2*y/h)][min(1, 2*x/w)]
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// noise is a picture that no encoder makes small.
func noise(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

func jpegOf(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: 95}); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

func pngOf(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

// exif is a TIFF structure with an orientation and, as cameras write them, other
// tags around it. The secret stands for a place or a name.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	head := "II*\x00"
	if order == binary.AppendByteOrder(binary.BigEndian) {
		head = "MM\x00*"
	}
	b := order.AppendUint32([]byte(head), 8)
	b = order.AppendUint16(b, 3)
	entry := func(tag, kind uint16, count, value uint32) {
		b = order.AppendUint16(order.AppendUint16(b, tag), kind)
		b = order.AppendUint32(b, count)
		if kind == 3 { // a short value stands at the left of its field
			b = order.AppendUint16(order.AppendUint16(b, uint16(value)), 0)
			return
		}
		b = order.AppendUint32(b, value)
	}
	entry(0x010f, 2, uint32(len(secret)), 50)
	entry(0x0112, 3, 1, uint32(orientation))
	entry(0x8769, 4, 1, 50)
	b = order.AppendUint32(b, 0)
	return append(b, secret...)
}

const secret = "SECRET-PLACE-52.5N-13.4E"

// segment is a marker segment of a JPEG.
func segment(marker byte, body []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

// jpegWith puts segments behind a JPEG's start.
func jpegWith(data []byte, segments ...[]byte) []byte {
	return bytes.Join([][]byte{data[:2], bytes.Join(segments, nil), data[2:]}, nil)
}

func exifSegment(tiff []byte) []byte { return segment(0xe1, append([]byte("Exif\x00\x00"), tiff...)) }

// pngChunk is a chunk with its checksum.
func pngChunk(kind string, body []byte) []byte {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), kind...)
	b = append(b, body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

const afterIHDR = 8 + 12 + 13

// pngWith puts chunks behind a PNG's header.
func pngWith(data []byte, chunks ...[]byte) []byte {
	return bytes.Join([][]byte{data[:afterIHDR], bytes.Join(chunks, nil), data[afterIHDR:]}, nil)
}

// pngClaiming is a PNG whose header is sound and whose pixels are missing.
func pngClaiming(w, h uint32) []byte {
	body := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", append(body, 8, 6, 0, 0, 0))...)
}

// chunk is a RIFF chunk.
func chunk(id string, body []byte) []byte {
	b := append(binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body))), body...)
	if len(body)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func webpFile(chunks ...[]byte) []byte {
	return chunk("RIFF", append([]byte("WEBP"), bytes.Join(chunks, nil)...))
}

// extended is the header of a WebP file that holds more than a frame.
func extended(flags byte, w, h int) []byte {
	w, h = w-1, h-1
	return chunk("VP8X", []byte{flags, 0, 0, 0, byte(w), byte(w >> 8), byte(w >> 16), byte(h), byte(h >> 8), byte(h >> 16)})
}

// bits packs numbers from the lowest bit up, as lossless WebP wants them.
type bits struct {
	out  []byte
	free int
}

func (b *bits) put(value, n int) {
	for i := range n {
		if b.free == 0 {
			b.out, b.free = append(b.out, 0), 8
		}
		b.out[len(b.out)-1] |= byte(value>>i&1) << (8 - b.free)
		b.free--
	}
}

// losslessHeader claims a size.
func losslessHeader(w, h int) *bits {
	b := &bits{}
	b.put(0x2f, 8)
	b.put(w-1, 14)
	b.put(h-1, 14)
	b.put(1, 1) // alpha is used
	b.put(0, 3) // version
	return b
}

// lossless is the frame of a lossless WebP whose channels are each 0 or 255: a
// prefix code of two symbols per channel, and so one bit per channel and pixel.
func lossless(img *image.NRGBA) []byte {
	b := losslessHeader(img.Rect.Dx(), img.Rect.Dy())
	b.put(0, 3) // no transform, no colour cache, one group of codes
	for range 4 {
		b.put(0b111, 3) // simple code, two symbols, the first of eight bits
		b.put(0, 8)
		b.put(255, 8)
	}
	b.put(0b001, 3) // distances: simple code, one symbol of one bit
	b.put(0, 1)
	for p := img.Pix; len(p) > 0; p = p[4:] {
		for _, channel := range []int{1, 0, 2, 3} {
			b.put(int(p[channel]>>7), 1)
		}
	}
	return chunk("VP8L", b.out)
}

func webpOf(img *image.NRGBA) []byte { return webpFile(lossless(img)) }

// webpWithEXIF also has the odd-sized chunk that readers trip over.
func webpWithEXIF(img *image.NRGBA, tiff []byte) []byte {
	size := img.Rect.Size()
	return webpFile(extended(1<<3, size.X, size.Y), lossless(img), chunk("ODD ", []byte{1}), chunk("EXIF", tiff))
}

// Smallest files of the kinds of WebP that take a real encoder: one pixel each.
var (
	webpLossy      = unbase64("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	webpLossyAlpha = unbase64("UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==")
	webpAnimated   = unbase64("UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA")
)

func unbase64(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

// progressive is a JPEG, mid-grey all over, of any number of scans. Each scan
// skips all its blocks in runs of 32767, and so takes a few dozen bytes.
func progressive(w, h, components, scans int) []byte {
	const run, runLength = 0xe0, 1<<15 - 1
	frame := []byte{8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), byte(components)}
	for i := range components {
		frame = append(frame, byte(i+1), 0x11, 0)
	}
	out := bytes.Join([][]byte{
		{0xff, 0xd8},
		segment(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")),
		segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)),
		segment(0xc2, frame),
		// One AC code, a single 0 bit, for the longest run.
		segment(0xc4, append(append([]byte{0x10, 1}, make([]byte, 15)...), run)),
	}, nil)
	blocks := (w + 7) / 8 * ((h + 7) / 8)
	for i := range scans {
		component := byte(i%components + 1)
		out = append(out, segment(0xda, []byte{1, component, 0, 1, 63, 0})...)
		out = append(out, runs((blocks+runLength-1)/runLength)...)
	}
	return append(out, 0xff, 0xd9)
}

// runs is n times a 0 bit and fourteen 1 bits, with a 0 stuffed behind each
// byte of ones.
func runs(n int) []byte {
	packed := make([]byte, (15*n+7)/8)
	for i := range packed {
		for bit := range 8 {
			if position := 8*i + bit; position >= 15*n || position%15 != 0 {
				packed[i] |= 0x80 >> bit
			}
		}
	}
	return bytes.ReplaceAll(packed, []byte{0xff}, []byte{0xff, 0})
}
