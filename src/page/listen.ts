import type { PageData } from '../output/pages/page-data.ts';

/** A page that is served gets all that it shows again whenever that changed. */
export function listen({ live }: PageData, app: { replace(data: PageData): void }): void {
  if (!live) return;
  const { href, origin } = new URL(live.events, location.href);
  if (origin !== location.origin) return;
  const state = document.querySelector('#live');
  const tell = (words: string, isLive: boolean) => {
    state?.replaceChildren(words);
    state?.classList.toggle('lost', !isLive);
  };
  const source = new EventSource(href);
  source.addEventListener('open', () => tell('Live.', true));
  source.addEventListener('message', ({ data }) => app.replace(JSON.parse(data) as PageData));
  source.addEventListener('error', () => {
    const isOver = source.readyState === EventSource.CLOSED;
    const what = isOver ? 'the server has ended' : 'trying again';
    tell(`Disconnected: ${what}. This is what was sent last.`, false);
  });
}
