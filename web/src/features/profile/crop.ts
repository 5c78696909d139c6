/** A square of a picture, in its own pixels. */
export interface Square {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The side of the picture that is sent; the server keeps no larger one. */
const SIDE = 512;

/** cropped cuts a square out of a picture and scales it to what the server keeps. */
export async function cropped(source: string, square: Square): Promise<Blob> {
  const picture = new Image();
  picture.src = source;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  // What was transparent becomes white in a JPEG, not black.
  context.fillStyle = "#fff";
  context.fillRect(0, 0, SIDE, SIDE);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, square.x, square.y, square.width, square.height, 0, 0, SIDE, SIDE);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/jpeg", 0.9);
  });
}
