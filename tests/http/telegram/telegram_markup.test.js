// An answer's Markdown as Telegram shows it: the fake Bot API reads the HTML as the real server does, with its entities.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, provide } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { linkPerson, startTelegram } from '../../lib/telegram.js';

const ANNA = 42;

const MARKDOWN = `# Trip to Rome

Take the **night train** (*not* the ~~bus~~) & see [the timetable](https://a.example/?from=a&to=b).

1. Pack
   - \`passport\`
   - [x] tickets
2. Go

| Place | Height |
|---|--:|
| Monte Mario | 139 |
| Aventin | 47 |

\`\`\`python
if 1 < 2:
    print("<b>")
\`\`\`

> Roma, non basta una vita.

The area is $\\frac{a^2}{2}$.`;

const SHOWN = `Trip to Rome

Take the night train (not the bus) & see the timetable.

1. Pack
  ◦ passport
  ☑ tickets
2. Go

Place        Height
-----------  ------
Monte Mario     139
Aventin          47

if 1 < 2:
    print("<b>")

Roma, non basta una vita.

The area is a²/2.`;

async function start(t) {
    const provider = await provide();
    const { alfred, bot } = await startTelegram({ t, env: provider.env });
    await alfred.admin('anna');
    linkPerson(alfred, ANNA, 'anna');
    return { provider, bot };
}

test('Markdown becomes what Telegram can show', async (t) => {
    const { provider, bot } = await start(t);
    provider.always(answers(MARKDOWN), asksForAnswer);
    await bot.says({ chat: ANNA, text: 'Where to?' });
    const message = await until('the answer', () => bot.shown(ANNA).find((m) => m.text.startsWith('Trip')));
    assert.equal(message.text, SHOWN);
    const parts = message.entities.map((e) => [e.type, message.text.slice(e.offset, e.offset + e.length), e.url ?? e.language].filter(Boolean));
    assert.deepEqual(parts, [
        ['bold', 'Trip to Rome'],
        ['bold', 'night train'],
        ['italic', 'not'],
        ['strikethrough', 'bus'],
        ['text_link', 'the timetable', 'https://a.example/?from=a&to=b'],
        ['code', 'passport'],
        ['pre', SHOWN.slice(SHOWN.indexOf('Place '), SHOWN.indexOf('\n\nif'))],
        ['pre', 'if 1 < 2:\n    print("<b>")', 'python'],
        ['blockquote', 'Roma, non basta una vita.'],
    ]);
    assert.deepEqual(bot.complaints, []);
});

test('a long block of code is cut between lines, and each message has its language', async (t) => {
    const { provider, bot } = await start(t);
    const lines = Array.from({ length: 700 }, (_, i) => `    value_${i} = "${'😀'.repeat(i % 5)}" # <${i}>`);
    provider.always(answers(`Here:\n\n\`\`\`python\n${lines.join('\n')}\n\`\`\`\n\nDone.`), asksForAnswer);
    await bot.says({ chat: ANNA, text: 'Write it' });
    await until('the end', () => bot.texts(ANNA).at(-1)?.endsWith('Done.'));
    const messages = bot.shown(ANNA).filter((m) => m.entities.some((e) => e.type === 'pre'));
    assert.ok(messages.length >= 5);
    const code = messages.map((m) => m.entities.filter((e) => e.type === 'pre').map((e) => m.text.slice(e.offset, e.offset + e.length)).join());
    assert.equal(code.join('\n'), lines.join('\n'));
    assert.ok(messages.every((m) => m.text.length <= 4000 && m.entities.every((e) => e.language === 'python')));
    const refused = bot.calls.filter((c) => c.answer?.error_code === 400 && !/not modified/.test(c.answer.description));
    assert.deepEqual(refused.map((c) => c.answer.description), []);
    assert.deepEqual(bot.complaints, []);
});
