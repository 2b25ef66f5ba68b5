import { defineCollection, z } from 'astro:content';
import { glob } from 'astro/loaders';
const blog = defineCollection({
  loader: glob({ base: './src/content/blog', pattern: '**/*.{md,mdx}' }),
  schema: z.object({ title: z.string(), description: z.string(),
    pubDate: z.coerce.date(), updatedDate: z.coerce.date().optional(),
    draft: z.boolean(), tags: z.array(z.string()).optional(),
    categories: z.array(z.string()).optional() }) });
export const collections = { blog };
