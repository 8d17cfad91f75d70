/** A picture with its certified hashes. */
export interface StillPicture {
  /** SHA-256 of the RGBA bytes, 64 hex digits. */
  readonly pixelHash: string;
  readonly png: Uint8Array;
}

/** The requested output of a frame besides its hash. */
export interface FrameWants {
  readonly png: boolean;
  /** Quality of a JPEG. */
  readonly jpeg: number | undefined;
}

/** A frame that is being read, while the next one may be drawn. */
export interface FrameReading {
  readonly hash: Promise<string>;
  readonly png: Promise<Uint8Array> | undefined;
  readonly jpeg: Promise<Uint8Array> | undefined;
}

/**
 * The picture of the sketch, read in the isolated world: every function used is of this world, so changes by the sketch
 * have no effect on it. Each call counts for the turn in which it is made.
 */
export interface PictureSource {
  still(): Promise<StillPicture>;
  /** For a loop, before the sketch runs. */
  prepareFrames(): Promise<void>;
  /** Starts to read a frame; settles once the sketch may draw on. */
  frame(wants: FrameWants): Promise<FrameReading>;
}
