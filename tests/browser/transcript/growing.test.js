// A growing answer, frame by frame: it never gets shorter, text that was read does not move, and no Markdown delimiter
// is visible.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { DESKTOP, PHONE, phone, stage, traced } from '../lib/stage.js';

const { alfred, open, asked } = await stage();
const anna = await alfred.admin('anna');

/** Complete Markdown: no delimiter outside of code and formulas. */
const ANSWERS = {
    words: `## How the **tides** work

The moon pulls at the *sea* with **both its mass and its distance**, as [this page about the tides](https://example.org/a/very/long/address/that/would/take/two/lines/of/its/own?with=parameters&and=more "A title") and \`tide --help --all\` say. See also ![a picture of the sea](https://example.org/pictures/of/the/sea/in/spring.png) there.

- **High water**: twice a day, and [here](https://example.org/high) is why
- *Low water*: between them, with \`level < 0\`
  1. ~~never~~ seldom
  2. **always**
- [x] measured
- [ ] told

> **Quote**: the sea is [never](https://example.org/never) still.

2026. was a year.

1. one
2. two

10. ten`,
    table: `Heights, in metres:

| place | **high** water | what is said about it by those who live beside it |
|:------|---------------:|---------------------------------------------------|
| Brest | 7.9 | [more about it](https://example.org/brest/and/its/harbour/and/the/tides/there) and **much** more |
| Nice | 0.3 | \`none\` |

And so on.`,
    code: `Run this:

\`\`\`js
const level = (t) => Math.cos(t * 2); // \`\` and **
if (!level) throw new Error('[dry](x)');
\`\`\`

~~~
a | b
~~~

1. In a list:
   \`\`\`sh
   make \`x\`
   \`\`\`
2. Done.`,
    formulas: `The force is $F = G\\frac{m_1 m_2}{r^2}$ and \\(a_1 * b_2\\) in words, so that a line with such a formula $\\sqrt{x_1^2 + x_2^2 + x_3^2}$ runs over its end.

$$
\\int_0^1 x^2\\,dx
= \\tfrac13
- c
$$

\\begin{align}
f(x) &= \\int_0^x t\\,dt \\\\
&= \\tfrac12 x^2
\\end{align}

It costs 5 dollars. \\[ e = mc^2 \\] That is **all**.`,
    references: `The tides follow the moon, as [the *guide* to the tides][tides] says, and [this table of their heights][2] shows it. See also ![the sea][3] there.

- [High water][tides] is twice a day
- **[Low water][2]** is between them

As [the guide][tides] says.

[tides]: https://example.org/a/very/long/address/that/would/take/two/lines/of/its/own "The tides"
[2]: <https://example.org/heights>

[3]: https://example.org/pictures/of/the/sea/in/spring.png`,
};

/** Records in every frame the height of the running answer, the end of its text, and visible delimiters. */
const record = (page) =>
    page.evaluate(() => {
        window.frames_seen = [];
        const look = () => {
            const answer = [...document.querySelectorAll('#transcript article.assistant .answer')].pop();
            const box = answer?.getBoundingClientRect();
            if (answer && answer.textContent) {
                const walker = document.createTreeWalker(answer, NodeFilter.SHOW_TEXT);
                let words = '';
                while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('code, .math')) words += walker.currentNode.data;
                const last = [...answer.querySelectorAll(':not(.math *)')].reduce((end, el) => Math.max(end, el.getBoundingClientRect().bottom), 0);
                const raw = words.match(/\*\*|~~|`|\]\(|\[|\||\$|\\|https:/g) ?? [];
                window.frames_seen.push({ height: box.height, end: last - box.top, raw: raw.join(' '), words: words.slice(-60) });
            }
            requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
    });
const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

for (const [what, text] of Object.entries(ANSWERS)) {
    for (const [where, options] of [['a desktop', { viewport: DESKTOP }], ['a phone', { ...phone, viewport: PHONE }]]) {
        test(`no frame of a growing answer is shorter than the previous one, and none shows a delimiter: ${what} on ${where}`, async (t) => {
            const page = await open(t, { as: anna, ...options });
            const chat = new Chat(page);
            const question = `${what} on ${where}`;
            await chat.send(question);
            const call = await asked(question);
            await record(page);
            for (let at = 0, n = 1, end; at < text.length; at = end, n = (n % 5) + 1) {
                end = at + n;
                if (text[end - 1] === ']' && '([:'.includes(text[end])) end++; // models send these in one piece
                await call.text(text.slice(at, end));
                await frame(page);
            }
            await frame(page);
            await call.end();
            await chat.settled();
            await frame(page);
            const frames = await page.evaluate(() => window.frames_seen);
            assert.ok(frames.length > text.length / 10, `${frames.length} frames`);
            for (let i = 1; i < frames.length; i++) {
                const [before, now] = [frames[i - 1], frames[i]];
                assert.ok(now.height >= before.height - 0.5, `frame ${i}: ${before.height} to ${now.height} after ${JSON.stringify(now.words)}`);
                assert.ok(now.end >= before.end - 1, `frame ${i}: the text ended at ${before.end}, now at ${now.end}, after ${JSON.stringify(now.words)}`);
                assert.equal(now.raw, '', `frame ${i}: after ${JSON.stringify(now.words)}`);
            }
        });
    }
}

test('a piece of a long answer does not style all of it again', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Write a list');
    const call = await asked('Write a list');
    await call.text(`${'- an **item** with `code`\n'.repeat(200)}\n\nThe end:`);
    await chat.reads(/The end:/);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const trace = await traced(page, async () => {
        for (let i = 0; i < 10; i++) {
            await call.text(` piece${i}`);
            await chat.reads(new RegExp(`piece${i}`));
        }
    });
    const styled = trace.filter((e) => e.name === 'UpdateLayoutTree' && e.ph === 'X').map((e) => e.args.elementCount ?? 0);
    assert.ok(styled.length > 5, 'the trace has the work on styles');
    assert.ok(Math.max(...styled) < 200, `elements styled at once: ${Math.max(...styled)} of 600`);
    await call.end();
    await chat.settled();
});
