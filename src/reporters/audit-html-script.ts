/** Shows the findings that the form asks for. Without it everything is shown. */
export const auditHtmlScript = `
const form = document.querySelector('form');
const articles = [...document.querySelectorAll('article')];
const shown = document.querySelector('#shown');
function filter() {
  const asked = new FormData(form);
  const words = asked.get('text').toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const article of articles) {
    const { severity, rule, status } = article.dataset;
    const text = article.textContent.toLowerCase();
    const fits = (asked.get('severity') === '' || asked.get('severity') === severity)
      && (asked.get('rule') === '' || asked.get('rule') === rule)
      && (asked.get('status') === '' || asked.get('status') === status)
      && words.every((word) => text.includes(word));
    article.hidden = !fits;
    if (fits) count += 1;
  }
  shown.textContent = count === articles.length ? count + ' findings' : count + ' of ' + articles.length + ' findings';
}
form.hidden = false;
form.addEventListener('input', filter);
form.addEventListener('submit', (event) => event.preventDefault());
filter();
`;
