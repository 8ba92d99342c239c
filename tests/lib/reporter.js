// node --test's reporter for `make test`: the details of failures, one line per file, and the sums of each file in
// $NODETEST_SUMS, from which scripts/nodetest computes the totals; a line of each failed test in $NODETEST_SUMS.failed.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';

/** The place of a failed test with its name, and the error that the test itself threw. */
function told(data) {
    const error = data.details.error;
    return { name: `${path.relative(process.cwd(), data.file ?? '')}:${data.line} ${data.name}`, error, cause: error?.cause ?? error };
}

function failure({ name, error, cause }) {
    const ended = error?.exitCode || error?.signal ? `ended with ${error.signal ?? `status ${error.exitCode}`}\n` : '';
    return `--- FAILED ${name}\n${inspect(cause, { depth: 6 })}\n${ended}`;
}

const inOneLine = ({ name, cause }) => `${name}: ${String(cause?.message ?? cause)}`.replace(/\s+/g, ' ') + '\n';

export default async function* report(source) {
    const files = new Map();
    const output = new Map();
    const failed = [];
    const of = (file) => {
        if (!files.has(file)) files.set(file, { passed: 0, failed: 0, skipped: 0, ms: 0 });
        return files.get(file);
    };
    // A failed after() of a whole file is reported with the place of the hook, which may be a library's. It counts for the
    // test file; node reports one file after the other.
    let testFile;
    for await (const { type, data } of source) {
        if (data?.file?.endsWith('.test.js')) testFile = data.file;
        if (type === 'test:diagnostic' && /^(Error|Warning):/.test(data.message)) {
            // for example a promise that was rejected after its test; the file's failure, which follows, does not name it
            yield `--- ${data.message}\n`;
        } else if (type === 'test:stderr' || type === 'test:stdout') {
            const lines = output.get(data.file) ?? [];
            lines.push(data.message);
            // only the end is printed, and only after a failure
            output.set(data.file, lines.slice(-200));
        } else if (type === 'test:pass' && data.details.type !== 'suite' && (data.skip || data.todo)) {
            of(data.file).skipped++;
        } else if (type === 'test:pass' && data.details.type !== 'suite') {
            // node reports a file without tests as one test with its name
            if (data.file && path.resolve(data.name) === data.file) continue;
            of(data.file).passed++;
            of(data.file).ms += data.details.duration_ms;
        } else if (type === 'test:fail' && data.details.type !== 'suite' && !data.todo) {
            const error = data.details.error;
            // a test or file whose subtests failed repeats their failures
            if (error?.failureType === 'subtestsFailed') continue;
            const sums = of(data.file?.endsWith('.test.js') ? data.file : (testFile ?? data.file));
            sums.failed++;
            sums.ms += data.details.duration_ms;
            failed.push(inOneLine(told(data)));
            yield failure(told(data));
        }
    }
    for (const [file, sum] of files) {
        if (sum.failed > 0 && output.has(file)) {
            yield `--- output of ${path.relative(process.cwd(), file)}\n${output.get(file).join('')}`;
        }
    }
    const lines = [];
    for (const [file, sum] of files) {
        const name = path.relative(process.cwd(), file ?? '');
        yield `  ${name}: ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped (${(sum.ms / 1000).toFixed(1)} s)\n`;
        lines.push(`${sum.passed} ${sum.failed} ${sum.skipped} ${name}\n`);
    }
    const sumsFile = process.env.NODETEST_SUMS;
    if (sumsFile) {
        writeFileSync(sumsFile, lines.join(''));
        writeFileSync(`${sumsFile}.failed`, failed.join(''));
    }
}
