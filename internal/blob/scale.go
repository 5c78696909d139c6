package blob

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
)

// shrink returns img with its longer side at most maxSide, never enlarged.
func shrink(img image.Image) *image.RGBA {
	size := img.Bounds().Size()
	longer := max(size.X, size.Y)
	// The Catmull-Rom filter is slow, and on a picture a few pixels wide and
	// millions long its tables would be larger than the picture. It gets at least
	// two pixels for each one it makes, which is all it needs to be sharp.
	src := average(img, max(1, longer/(2*maxSide)))
	if longer <= maxSide {
		return src
	}
	dst := image.NewRGBA(image.Rect(0, 0, scaled(size.X, longer), scaled(size.Y, longer)))
	draw.CatmullRom.Scale(dst, dst.Rect, src, src.Rect, draw.Src, nil)
	return dst
}

// scaled is side in a picture whose longer side becomes maxSide.
func scaled(side, longer int) int {
	return max(1, int((int64(side)*maxSide+int64(longer)/2)/int64(longer)))
}

// average returns img with each square of n by n pixels made one. It converts
// piece by piece, so that the picture is not held a second time in full.
func average(img image.Image, n int) *image.RGBA {
	const pieceWidth = 4096
	bounds := img.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, ceilDiv(bounds.Dx(), n), ceilDiv(bounds.Dy(), n)))
	step := n * max(1, pieceWidth/n)
	piece := image.NewRGBA(image.Rect(0, 0, min(step, bounds.Dx()), min(n, bounds.Dy())))
	for y := 0; y < bounds.Dy(); y += n {
		for x := 0; x < bounds.Dx(); x += step {
			part := piece.Rect.Intersect(image.Rect(0, 0, bounds.Dx()-x, bounds.Dy()-y))
			draw.Draw(piece, part, img, bounds.Min.Add(image.Pt(x, y)), draw.Src)
			for square := 0; square < part.Dx(); square += n {
				area := part.Intersect(image.Rect(square, 0, square+n, n))
				dst.SetRGBA((x+square)/n, y/n, mean(piece, area))
			}
		}
	}
	return dst
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// mean returns the mean colour of an area. Colours are multiplied by their
// alpha already, so that what cannot be seen does not count.
func mean(img *image.RGBA, area image.Rectangle) color.RGBA {
	var r, g, b, a uint32
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := img.Pix[img.PixOffset(area.Min.X, y):img.PixOffset(area.Max.X, y)]
		for ; len(row) >= 4; row = row[4:] {
			r += uint32(row[0])
			g += uint32(row[1])
			b += uint32(row[2])
			a += uint32(row[3])
		}
	}
	n := uint32(area.Dx() * area.Dy())
	half := n / 2
	return color.RGBA{uint8((r + half) / n), uint8((g + half) / n), uint8((b + half) / n), uint8((a + half) / n)}
}

// turn sets a picture with this EXIF orientation upright.
func turn(img *image.RGBA, orientation int) *image.RGBA {
	if orientation == upright {
		return img
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	dst := image.NewRGBA(img.Rect)
	if orientation >= 5 {
		dst = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range dst.Rect.Dy() {
		for x := range dst.Rect.Dx() {
			from := source(orientation, x, y, w, h)
			dst.SetRGBA(x, y, img.RGBAAt(from.X, from.Y))
		}
	}
	return dst
}

// source is the pixel of a stored picture, w by h, that is seen at x, y.
func source(orientation, x, y, w, h int) image.Point {
	right, bottom := w-1, h-1
	switch orientation {
	case 2: // mirrored
		return image.Pt(right-x, y)
	case 3: // upside down
		return image.Pt(right-x, bottom-y)
	case 4: // upside down and mirrored
		return image.Pt(x, bottom-y)
	case 5: // mirrored, then turned left
		return image.Pt(y, x)
	case 6: // turned left, so it wants a turn to the right
		return image.Pt(y, bottom-x)
	case 7: // mirrored, then turned right
		return image.Pt(right-y, bottom-x)
	case 8: // turned right
		return image.Pt(right-y, x)
	}
	return image.Pt(x, y)
}
