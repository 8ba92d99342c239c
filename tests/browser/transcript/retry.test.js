// Scripts and libraries that did not arrive, because the network was down for a moment, come later without a reload.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { answers, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, blank } = await stage();
const anna = await alfred.admin('anna');
const allow = [/ERR_FAILED/, /Failed to fetch/];

const RICH = 'The area is $a^2$.\n\n```js\nconst a = 1;\n```\n';

/** The address of a conversation with code and a formula. */
async function conversation(t) {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    await chat.exchange(provider, answers(RICH), `Show me ${Math.random()}`);
    return new URL(page.url()).pathname;
}

for (const [what, pattern] of [
    ['the module that enhances text', /\/js\/text\/code\.js/],
    ['the module of formulas', /\/js\/text\/math\.js/],
    ['the library of formulas', /\/katex\.min\.js/],
    ['the style of formulas', /\/katex\.min\.css/],
    ['the module of colours', /\/js\/text\/paint\.js/],
    ['the worker of colours', /\/js\/text\/highlight\.js/],
    ['the library of colours', /\/highlight\.min\.js/],
])
    test(`code and formulas are complete when ${what} comes late`, async (t) => {
        const path = await conversation(t);
        const page = await blank(t, { as: anna, allow });
        // modulepreload asks first.
        let down = true, refused = 0;
        await page.route(pattern, (route) => {
            if (!down) return route.continue();
            refused++;
            return route.abort();
        });
        await page.goto(path);
        await ready(page);
        await until('it was asked for', () => refused > 0);
        await page.locator('#transcript .code').waitFor();
        assert.equal(await page.locator('.katex, .hljs-keyword').count() < 2, true);
        down = false;
        await page.locator('.katex').first().waitFor();
        await page.locator('.hljs-keyword').first().waitFor();
        await page.locator('.code-copy:not([hidden])').waitFor();
        assert.equal(await page.locator('.math.done').evaluate((el) => el.querySelector('.katex-mathml').getBoundingClientRect().width <= 1), true, 'the formula shows once');
    });
