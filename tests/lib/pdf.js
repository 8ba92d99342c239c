// PDF files for tests, with their table of contents by the rules (ISO 32000-1, 7.5).

const LOCK = ` /ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'5A'.repeat(32)}> /U <${'A5'.repeat(32)}> >>`;

/**
 * A PDF of one page per list of lines. A page without lines has none of text. `locked`: it needs a password, by 7.6.3.3;
 * nobody knows it, so its content is not encrypted.
 * @param {string[][]} pages @param {{locked?: boolean}} options
 */
export function pdf(pages, { locked = false } = {}) {
    const objects = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] >>`, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'];
    for (const [i, lines] of pages.entries()) {
        const drawn = lines.length ? `BT /F1 12 Tf 14 TL 72 720 Td ${lines.map((l) => `(${l.replace(/[()\\]/g, '\\$&')}) Tj T*`).join(' ')} ET` : '72 72 100 100 re f';
        objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * i} 0 R >>`, `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`);
    }
    let text = '%PDF-1.4\n';
    const at = objects.map((o, i) => {
        const begins = text.length;
        text += `${i + 1} 0 obj\n${o}\nendobj\n`;
        return begins;
    });
    const table = text.length;
    text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${at.map((n) => `${String(n).padStart(10, '0')} 00000 n \n`).join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${locked ? LOCK : ''} >>\nstartxref\n${table}\n%%EOF\n`;
    return Buffer.from(text, 'latin1');
}
