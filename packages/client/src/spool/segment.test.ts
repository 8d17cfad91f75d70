import fs, { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Segment } from './segment.js';

describe('a segment', () => {
  let dir = '';
  let segment: Segment;

  beforeEach(() => {
    jest.useFakeTimers();
    dir = mkdtempSync(join(tmpdir(), 'cer-segment-'));
    segment = new Segment(join(dir, 'segment.ndjson'));
  });
  afterEach(() => {
    segment.close();
    jest.useRealTimers();
    jest.restoreAllMocks();
    rmSync(dir, { recursive: true });
  });

  it('is flushed to the disk once after its last line', () => {
    const flush = jest.spyOn(fs, 'fdatasync').mockReturnValue();
    for (let line = 0; line < 10; line += 1) {
      segment.append('{}');
      jest.advanceTimersByTime(15);
    }
    expect(flush).not.toHaveBeenCalled();
    jest.advanceTimersByTime(40);
    expect(flush).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(10_000);
    expect(flush).toHaveBeenCalledTimes(1);
  });

  it('is flushed every half second while lines follow each other', () => {
    const flush = jest.spyOn(fs, 'fdatasync').mockReturnValue();
    for (let line = 0; line < 200; line += 1) {
      segment.append('{}');
      jest.advanceTimersByTime(10);
    }
    expect(flush.mock.calls.length).toBeGreaterThanOrEqual(3);
    expect(flush.mock.calls.length).toBeLessThanOrEqual(4);
  });
});
