package blob

import "image/color"

// What the decoders of the three formats reserve for each pixel. A picture of
// many pixels may be a file of few bytes, so this is what has to be bounded.

// weighPNG counts the picture and, where it is interlaced, the largest of its
// passes beside it, which has half of the pixels.
func weighPNG(data []byte, model color.Model) float64 {
	const interlace = 28
	bytes := 4.0
	switch model {
	case color.GrayModel:
		bytes = 1
	case color.Gray16Model:
		bytes = 2
	case color.RGBA64Model, color.NRGBA64Model:
		bytes = 8
	default:
		if _, ok := model.(color.Palette); ok {
			bytes = 1
		}
	}
	if len(data) > interlace && data[interlace] != 0 {
		bytes *= 1.5
	}
	return bytes
}

// weighWebP counts a lossless picture with the packed pixels it is made of, and
// of a lossy one its transparency too, which is a lossless picture.
func weighWebP(_ []byte, model color.Model) float64 {
	switch model {
	case color.YCbCrModel:
		return 1.5
	case color.NYCbCrAModel:
		return 6.5
	}
	return 5
}

// weighJPEG counts the samples, of a progressive picture also the coefficients,
// which are kept until the last scan, and the picture into which anything but
// grey and YCbCr is converted.
func weighJPEG(data []byte, model color.Model) float64 {
	const sample, coefficient, converted = 1, 4, 4
	samples, isProgressive := jpegFrame(data)
	bytes := samples * sample
	if isProgressive {
		bytes += samples * coefficient
	}
	if model != color.GrayModel && model != color.YCbCrModel {
		bytes += converted
	}
	return bytes
}

// jpegFrame returns how many samples of all colours there are for each pixel,
// and whether they come in several scans. It walks over the segments as the
// decoder does, so that both find the same frame; where there is none it says
// the most that one can hold.
func jpegFrame(data []byte) (samples float64, isProgressive bool) {
	const (
		baseline, progressive     = 0xc0, 0xc2
		restart, endOfImage, scan = 0xd0, 0xd9, 0xda
		components                = 6 // where they begin in a frame's header
	)
	for data = data[2:]; len(data) >= 4; {
		marker := data[1]
		if data[0] != 0xff || marker == 0xff {
			data = data[1:]
			continue
		}
		if marker == 0 || marker >= restart && marker < endOfImage {
			data = data[2:]
			continue
		}
		size := int(data[2])<<8 | int(data[3])
		if marker == endOfImage || marker == scan || size < 2 || len(data) < 2+size {
			break
		}
		body := data[4 : 2+size]
		if marker >= baseline && marker <= progressive && len(body) > components {
			return samplesOf(body[components:]), marker == progressive
		}
		data = data[2+size:]
	}
	return 4, true
}

// samplesOf returns how many samples components have for each pixel. A
// component is three bytes, and the second says how many columns and rows of it
// there are where the finest has most.
func samplesOf(components []byte) float64 {
	var area, columns, rows int
	for ; len(components) >= 3; components = components[3:] {
		h, v := int(components[1]>>4), int(components[1]&0x0f)
		area += h * v
		columns, rows = max(columns, h), max(rows, v)
	}
	return float64(area) / float64(max(1, columns*rows))
}
