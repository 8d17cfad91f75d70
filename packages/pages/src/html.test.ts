import { describe, expect, it } from '@jest/globals';
import { html } from './html.js';

describe('markup', () => {
  it('escapes every value, in text and in attributes', () => {
    expect(html`<a title="${`"'`}">${'<b>&'}</a>`.text).toBe('<a title="&#34;&#39;">&#60;b&#62;&#38;</a>');
  });

  it('keeps its own markup and lists, drops null and false', () => {
    const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
    const markup = html`${items}${null}${undefined}${false}${0}`;
    expect(markup.text).toBe('<li>a</li><li>&#60;b&#62;</li>0');
  });
});
