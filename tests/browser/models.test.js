// Controls that depend on the model: the effort beside it in the composer, and Continue beneath an answer that it cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from './lib/chat.js';
import { answers, asksForAnswer, ready, stage } from './lib/stage.js';

const { alfred, provider, open } = await stage({
    config: {
        'provider.thinker': { kind: 'openai', base_url: 'http://127.0.0.1:9/v1', model: 'gpt-5-mini' },
    },
});
const anna = await alfred.admin('anna');

test('the effort is offered where the model takes one, at every width, and is sent', async (t) => {
    for (const width of [360, 768, 1440]) {
        const page = await open(t, { as: anna, viewport: { width, height: 700 } });
        const effort = page.locator('select[name=effort]');
        const model = page.locator('select[name=choice]');
        await model.selectOption('openai/test-model');
        assert.equal(await effort.isVisible(), false, 'this model takes none');
        const plain = await new Chat(page).sendButton.boundingBox();
        assert.ok(plain.x + plain.width > (await page.locator('#composer').boundingBox()).x + (await page.locator('#composer').boundingBox()).width - 40, 'Send stands at the end of its row');
        await model.selectOption('thinker/gpt-5-mini');
        assert.equal(await effort.isVisible(), true);
        await effort.selectOption('high');
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `nothing sticks out at ${width}`);
        const send = await new Chat(page).sendButton.boundingBox();
        assert.ok(send.x + send.width <= width, `Send is in reach at ${width}`);
        if (process.env.SHOTS_DIR) await page.screenshot({ path: `${process.env.SHOTS_DIR}/effort-${width}.png` });
    }
});

test('Continue beneath a cut answer asks for the rest', async (t) => {
    provider.next(async (call) => {
        await call.start();
        await call.text('One, two');
        await call.end('length');
    }, (call) => asksForAnswer(call) && call.userText === 'Count to four');
    provider.next(answers('One, two, three, four.'), (call) => asksForAnswer(call) && call.body.messages.at(-2)?.content === 'One, two');
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await page.locator('select[name=choice]').selectOption('openai/test-model');
    await chat.send('Count to four');
    const button = page.getByRole('button', { name: 'Continue' });
    await button.waitFor();
    if (process.env.SHOTS_DIR) await page.screenshot({ path: `${process.env.SHOTS_DIR}/continue.png` });
    await button.click();
    await chat.answer.filter({ hasText: 'three, four.' }).waitFor();
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['Count to four', 'One, two, three, four.']);
    assert.equal(await button.isVisible(), false);
});

test('the draft of a new chat keeps its model, and an empty box does not', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page), model = page.locator('select[name=choice]');
    const usual = await model.inputValue();
    await model.selectOption('thinker/gpt-5-mini');
    await chat.write('A long thought');
    await page.goto('/tasks');
    await page.goto('/');
    await ready(page);
    assert.equal(await chat.box.inputValue(), 'A long thought');
    await page.waitForFunction(() => document.querySelector('select[name=choice]').value === 'thinker/gpt-5-mini');
    await chat.write('');
    await page.goto('/tasks');
    await page.goto('/');
    await ready(page);
    assert.equal(await model.inputValue(), usual);
    await chat.write('A short one');
    await page.goto('/tasks');
    await page.goto('/');
    await ready(page);
    assert.deepEqual([await chat.box.inputValue(), await model.inputValue()], ['A short one', usual]);
});
