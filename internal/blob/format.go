package blob

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// format is one kind of file that Photo reads. The decoders are named here and
// not taken from the image package's registry, to which any import may add.
type format struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	check  func(data []byte, pixels int) error
	// weight is how many bytes a pixel takes while it is decoded.
	weight func(data []byte, model color.Model) float64
	exif   func(data []byte) []byte
}

var (
	jpegFormat = format{jpeg.DecodeConfig, jpeg.Decode, checkJPEG, weighJPEG, jpegEXIF}
	pngFormat  = format{png.DecodeConfig, png.Decode, checkPNG, weighPNG, pngEXIF}
	webpFormat = format{webp.DecodeConfig, webp.Decode, checkWebP, weighWebP, webpEXIF}
)

// inspect says what the file is and how much memory it takes to decode, reading
// nothing but headers, and refuses what is not worth decoding.
func inspect(data []byte) (f format, memory int64, err error) {
	f, ok := formatOf(data)
	if !ok {
		return format{}, 0, errUnsupported
	}
	config, err := f.config(bytes.NewReader(data))
	if err != nil {
		return format{}, 0, headerFault(err)
	}
	// Each side is below 2^31, so the product cannot overflow.
	pixels := int64(config.Width) * int64(config.Height)
	if pixels <= 0 {
		return format{}, 0, errCorrupt
	}
	if pixels > maxPixels {
		return format{}, 0, errTooManyPixels
	}
	memory = int64(float64(pixels) * f.weight(data, config.ColorModel))
	if memory > maxMemory {
		return format{}, 0, errTooHeavy
	}
	return f, memory, f.check(data, int(pixels))
}

func formatOf(data []byte) (format, bool) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return jpegFormat, true
	case bytes.HasPrefix(data, []byte(pngSignature)):
		return pngFormat, true
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return webpFormat, true
	}
	return format{}, false
}

// headerFault tells a feature the decoders lack, which the header announces,
// from damage.
func headerFault(err error) error {
	var (
		jpegFeature jpeg.UnsupportedError
		pngFeature  png.UnsupportedError
	)
	if errors.As(err, &jpegFeature) || errors.As(err, &pngFeature) {
		return errUnsupported
	}
	return errCorrupt
}

// decodeSmall decodes the picture and scales it down. The decoders see hostile
// bytes, and a panic in one of them is one bad upload and no more.
func (f format) decodeSmall(data []byte) (small *image.RGBA, err error) {
	defer func() {
		if recover() != nil {
			err = errCorrupt
		}
	}()
	img, err := f.decode(bytes.NewReader(data))
	if err != nil {
		return nil, errCorrupt
	}
	return shrink(img), nil
}

// checkJPEG bounds the work in a progressive JPEG: each of its scans is a pass
// over all the pixels, however few bytes it has, and a file has room for
// hundreds of thousands. Encoders write about ten. Start-of-scan markers are
// counted wherever they stand, in metadata too, since to find their true places
// one would have to read the file exactly as the decoder does.
func checkJPEG(data []byte, pixels int) error {
	const maxPasses = 32
	scans := bytes.Count(data, []byte{0xff, 0xda})
	if int64(scans)*int64(pixels) > maxPasses*maxPixels {
		return errUnsupported
	}
	return nil
}

// checkPNG has nothing to add to what the decoder sees. Of an animated PNG it
// decodes the still picture that every such file has.
func checkPNG([]byte, int) error { return nil }

// checkWebP finds what the decoder would misname or miss: animation, which it
// takes for damage, and an end cut off behind the pixels. A frame that
// contradicts the size in the extended header, by which pixels were judged, the
// decoder itself refuses before it reserves memory.
func checkWebP(data []byte, _ int) error {
	const extendedHeader, flags, animation = 12, 20, 1 << 1
	if len(data) > flags && string(data[extendedHeader:][:4]) == "VP8X" && data[flags]&animation != 0 {
		return errAnimated
	}
	if int64(binary.LittleEndian.Uint32(data[4:]))+8 > int64(len(data)) {
		return errCorrupt
	}
	return nil
}
