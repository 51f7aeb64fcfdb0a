/** Categories of the context, in the order they are drawn. */
export const CATEGORIES = ['system', 'tools', 'pinned', 'summaries', 'recent'] as const;
