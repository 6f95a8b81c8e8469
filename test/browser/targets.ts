import type { Page } from 'playwright-core'

/**
 * Returns the targets of a page that are smaller than 24 px on one side (WCAG 2.2, 2.5.8), except
 * links within a sentence. A label is part of the target of its control.
 */
export async function smallTargets(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`[...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [role=slider]')]
    .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .filter((one) => {
      const isCovering = getComputedStyle(one, '::after').position === 'absolute'
      const target = one.closest('label') ?? (isCovering ? one.offsetParent : one)
      const { width, height } = target.getBoundingClientRect()
      const isHidden = width <= 1 || height <= 1
      return !isHidden && Math.min(width, height) < 23.9
    })
    .filter((one) => {
      const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== ''
      const isInline = getComputedStyle(one).display === 'inline'
      return !isInline || ![...one.parentElement.childNodes].some(isText)
    })
    .map((one) => one.outerHTML.slice(0, 160))`)
}
