import { Link } from '@tanstack/react-router'
import { Fragment, useId } from 'react'
import { Card } from '../../controls/screen.tsx'
import tables from '../../controls/tables/table.module.css'
import styles from './help.module.css'
import type { Block, HelpPage, Inline } from './help-page.ts'

/** The text of a help page with its images. */
export function Article({ page }: { page: HelpPage }) {
  return (
    <Card>
      <article className={styles.article}>
        <p>
          <Parts parts={page.about} />
        </p>
        <Blocks blocks={page.blocks} />
      </article>
    </Card>
  )
}

function Blocks({ blocks }: { blocks: Block[] }) {
  return blocks.map((block, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a page never change
    <One key={at} block={block} />
  ))
}

function One({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading': {
      const Heading = block.level === 2 ? 'h2' : 'h3'
      return (
        <Heading id={block.anchor}>
          <Parts parts={block.parts} />
        </Heading>
      )
    }
    case 'paragraph':
      return (
        <p>
          <Parts parts={block.parts} />
        </p>
      )
    case 'list':
      return <List block={block} />
    case 'table':
      return <Table block={block} />
    case 'code':
      return <pre className={styles.figures}>{block.text}</pre>
    case 'picture': {
      const { url, alt, width, height } = block
      return <img src={url} alt={alt} width={width} height={height} loading="lazy" />
    }
  }
}

function List({ block }: { block: Block & { kind: 'list' } }) {
  const Items = block.isOrdered ? 'ol' : 'ul'
  return (
    <Items>
      {block.items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a page never change
        <li key={at}>
          <Blocks blocks={item} />
        </li>
      ))}
    </Items>
  )
}

function Table({ block }: { block: Block & { kind: 'table' } }) {
  const id = useId()
  const cells = (row: Inline[][], Cell: 'th' | 'td') =>
    row.map((parts, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a page never change
      <Cell key={at} scope={Cell === 'th' ? 'col' : undefined}>
        <Parts parts={parts} />
      </Cell>
    ))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it sideways
    <section className={tables.scroll} tabIndex={0} aria-labelledby={id}>
      <table className={tables.table}>
        <thead id={id}>
          <tr>{cells(block.head, 'th')}</tr>
        </thead>
        <tbody>
          {block.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a page never change
            <tr key={at}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Renders the inline content of a paragraph. */
export function Parts({ parts }: { parts: Inline[] }) {
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a page never change
    <Fragment key={at}>{inline(part)}</Fragment>
  ))
}

function inline(part: Inline) {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code>{part.text}</code>
    case 'link':
      return (
        <Link to="/help/$page" params={{ page: part.page }} hash={part.anchor}>
          <Parts parts={part.parts} />
        </Link>
      )
    default: {
      const Emphasis = part.kind
      return (
        <Emphasis>
          <Parts parts={part.parts} />
        </Emphasis>
      )
    }
  }
}
