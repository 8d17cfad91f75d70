/** PNG or JPEG of the canvas as it is at the call. */
export function encodeCanvas(
  canvas: HTMLCanvasElement,
  type: 'image/png' | 'image/jpeg',
  quality?: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => {
        if (blob === null) reject(new Error('the canvas cannot be encoded'));
        else
          blob.arrayBuffer().then((bytes) => {
            resolve(new Uint8Array(bytes));
          }, reject);
      },
      type,
      quality,
    );
  });
}
