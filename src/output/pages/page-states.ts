import type { PageData, PageState, PageView } from './page-data.ts';

/** How every object stands in a frame of a view. */
export function statesAt(
  { objects }: Pick<PageData, 'objects'>,
  { frames }: PageView,
  frame: number,
): ReadonlyMap<string, PageState> {
  const states = new Map(objects.map(({ id, state }) => [id, state]));
  for (const { changes } of frames.slice(0, frame + 1)) {
    for (const [id, state] of Object.entries(changes)) states.set(id, state);
  }
  return states;
}

/** Is there more than one moment? */
export function isPlaying({ views }: Pick<PageData, 'views'>): boolean {
  return views.some(({ frames }) => frames.length > 1);
}
