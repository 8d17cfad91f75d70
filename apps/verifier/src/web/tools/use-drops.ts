import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { hasFiles, isForField, placeOf } from '../page-drops.js';

/**
 * Takes what is dropped on a zone, and files that are dropped beside it while it is the only zone in view. A panel that
 * has a choice of files for another purpose takes neither.
 * @returns whether a drag is where the zone would take it
 */
export function useDrops(zone: RefObject<HTMLElement | null>, take: (files: FileList) => void): boolean {
  const [isOver, setOver] = useState(false);
  useLayoutEffect(() => {
    const follow = (event: DragEvent): void => {
      const isTaken = isForZone(event, zone.current);
      if (isTaken) event.preventDefault();
      setOver(isTaken && event.type === 'dragover');
      if (isTaken && event.type === 'drop' && event.dataTransfer !== null) take(event.dataTransfer.files);
    };
    // Moves between elements leave one of them, not the page.
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) setOver(false);
    };
    document.addEventListener('dragover', follow);
    document.addEventListener('drop', follow);
    document.addEventListener('dragleave', leave);
    return () => {
      document.removeEventListener('dragover', follow);
      document.removeEventListener('drop', follow);
      document.removeEventListener('dragleave', leave);
    };
  });
  return isOver;
}

function isForZone(event: DragEvent, zone: HTMLElement | null): boolean {
  const place = placeOf(event)?.closest('.drop-zone, .key-panel') ?? null;
  if (!hasFiles(event)) return place === zone && !isForField(event);
  if (place !== null) return place === zone;
  const inView = [...document.querySelectorAll('.drop-zone')].filter((element) => element.checkVisibility());
  return inView.length === 1 && inView[0] === zone;
}
