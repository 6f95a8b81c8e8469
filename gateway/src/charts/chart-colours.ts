/** Colours of charts in light mode: attributes of the marks, so they need no style sheet. */
export const colours = {
  paper: '#ffffff',
  ink: '#1f2328',
  envelopes: '#0969da',
  free: '#1a7f37',
  funding: '#8250df',
  due: '#bc4c00',
} as const

/** The same colours in dark mode. */
const dark: Record<keyof typeof colours, string> = {
  paper: '#0d1117',
  ink: '#e6edf3',
  envelopes: '#58a6ff',
  free: '#3fb950',
  funding: '#bc8cff',
  due: '#f0883e',
}

/** Returns the CSS that gives marks inside elements of the class their colours in dark mode. */
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
