// The conversation in docs/telegram.md is the content of the chat in this test, so the page shows what Alfred does. After a change:
//
//     UPDATE_DOCS=1 scripts/nodetest tests/http/telegram/telegram_doc.test.js
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { answers, callsTool } from '../../fake/provider.js';
import { asksForAnswer, asksForTitle, provide } from '../../lib/chat.js';
import { ROOT, until } from '../../lib/rig.js';
import { startTelegram } from '../../lib/telegram.js';

const PAGE = `${ROOT}/docs/telegram.md`;
const BEGIN = '<!-- conversation: made by tests/http/telegram/telegram_doc.test.js -->\n', END = '<!-- end of the conversation -->';
const CHAT = 4_294_967_301;

const PLANTS = 'These grow without sun:\n\n- **Ferns**, if their soil stays moist\n- **Ivy**, on a wall or a trellis\n\n| plant | water |\n|---|---|\n| fern | often |\n| ivy | once a week |';

/** Lines of text as Markdown: a line that another one follows ends in a backslash. */
const prose = (text) =>
    text
        .trim()
        .split('\n')
        .map((line) => line.trimEnd().replace(/([<>*_#|`])/g, '\\$1'))
        .map((line, i, all) => (line && all[i + 1] ? `${line}\\` : line))
        .join('\n');

/** The text of a message; what has a fixed width is a block of code. */
function textOf(message) {
    const parts = [];
    let at = 0;
    for (const { offset, length } of (message.entities ?? []).filter((e) => e.type === 'pre')) {
        parts.push(prose(message.text.slice(at, offset)), `\`\`\`\n${message.text.slice(offset, offset + length)}\n\`\`\``);
        at = offset + length;
    }
    parts.push(prose(message.text.slice(at)));
    return parts.filter(Boolean).join('\n\n');
}

/** Messages of the bot as Markdown: quoted, with their buttons. */
function render(messages) {
    const quoted = (text) => text.split('\n').map((line) => `> ${line}`.trimEnd()).join('\n');
    return messages
        .map((m) => {
            const buttons = m.reply_markup?.inline_keyboard.flat().map((b) => `\`${b.text}\``) ?? [];
            return `${quoted([textOf(m), buttons.join(' ')].filter(Boolean).join('\n\n'))}\n`;
        })
        .join('\n');
}

/** Whether nothing waits to be read, answered or sent. */
const atRest = (alfred) =>
    alfred.sql(
        "SELECT 1 FROM inbox WHERE state = 'new' UNION ALL SELECT 1 FROM turn_order UNION ALL SELECT 1 FROM channel_turn UNION ALL SELECT 1 FROM outbox WHERE state IN ('ready', 'sending')",
    ).length === 0;

test('docs/telegram.md shows this conversation', async (t) => {
    const provider = await provide({ title: 'Plants for a dark balcony' });
    const { bot, alfred } = await startTelegram({ t, env: provider.env });
    const anna = await alfred.admin('anna');
    let seen = 0, page = '';

    /** Anna does something; `last` is in the last message that follows. */
    async function step(words, act, last) {
        await act();
        const messages = () => bot.shown(CHAT).slice(seen);
        await until(`an answer to ${words}`, () => messages().some((m) => last.test(m.text)) && atRest(alfred));
        page += `**Anna** ${words}\n\n${render(messages())}\n`;
        seen += messages().length;
    }
    const says = (text, last, shown = text) => step(shown, () => bot.says({ chat: CHAT, name: 'Anna', text }), last);
    const presses = (label, last) => step(`presses \`${label}\``, () => bot.press(CHAT, label), last);
    const asks = (text, behaviours, last) => {
        for (const behaviour of behaviours) provider.next(behaviour, (call) => asksForAnswer(call));
        return says(text, last);
    };

    await says('Hello', /./);
    const { json } = await anna.postJson('/api/commands', { line: '/link' });
    const [code] = json.markdown.match(/\b[A-Z0-9]{8}\b/);
    await says(`/link ${code}`, /linked/i, '/link K7M2PX4R');
    await asks('Which plants grow on a dark balcony?', [answers(PLANTS)], /once a week/);
    await asks('I want to buy two ferns.', [callsTool('add_task', { text: 'Buy two ferns' }), answers('Shall I put it on your list?')], /Shall I/);
    await presses('Add', /./);
    await says('/tasks', /Buy two ferns/);
    await presses('✓ Buy two ferns', /./);
    await until('the title is there', async () => (await anna.getJson('/api/sessions')).sessions[0].title === 'Plants for a dark balcony');
    await says('/new', /./);
    provider.next(answers('Twelve times twelve'), (call) => asksForTitle(call) && call.prompt.includes('12 × 12'));
    await asks('What is 12 × 12?', [answers('144')], /^144$/);
    await until('the next title is there', async () => (await anna.getJson('/api/sessions')).sessions[0].title === 'Twelve times twelve');
    await says('/resume balcony', /./);
    assert.deepEqual(bot.complaints, []);

    const text = readFileSync(PAGE, 'utf8');
    const [before, rest] = text.split(BEGIN), [shown, after] = rest.split(END);
    if (process.env.UPDATE_DOCS) writeFileSync(PAGE, `${before}${BEGIN}\n${page}${END}${after}`);
    else assert.equal(shown, `\n${page}`, 'docs/telegram.md shows another conversation');
});
