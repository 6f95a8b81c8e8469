/** The colours of charts on light paper, as marks name them where styles do not reach. */
export const colours = {
  paper: '#ffffff',
  ink: '#1f2328',
  envelopes: '#0969da',
  free: '#1a7f37',
  funding: '#8250df',
  due: '#bc4c00',
} as const

/** What stands for them on dark paper. */
const dark: Record<keyof typeof colours, string> = {
  paper: '#0d1117',
  ink: '#e6edf3',
  envelopes: '#58a6ff',
  free: '#3fb950',
  funding: '#bc8cff',
  due: '#f0883e',
}

/** Gives the marks within elements of that class the colours of the reader's preference. */
export function darkStyles(className: string): string {
  const names = Object.keys(colours) as (keyof typeof colours)[]
  const rules = names.flatMap((name) =>
    ['fill', 'stroke'].map(
      (kind) => `.${className} [${kind}="${colours[name]}"] { ${kind}: ${dark[name]} }`,
    ),
  )
  const text = `.${className} { color: ${dark.ink} }`
  return `\n@media (prefers-color-scheme: dark) {\n${[text, ...rules].join('\n')}\n}`
}
