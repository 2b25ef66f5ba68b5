"""Real static site generators, each with the smallest site that shows what it was given.

Hugo and Jekyll are Debian packages; Eleventy and Astro come from npm into the cache folder, once.
"""

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from tests.support.sites.cache import made_once, npm_install
from tests.support.sites.programs import program

# What Debian 12's and later Node can run.
NPM_PACKAGES = {"eleventy": "@11ty/eleventy@3.1.2", "astro": "astro@5.18.2"}
BUILD_SECONDS = 240.0


class StaticGenerator(ABC):
    """A site in ``root``. Posts belong into ``posts``; ``build`` makes ``built``."""

    posts: Path
    built: Path

    def __init__(self, root: Path) -> None:
        self.root = root

    @abstractmethod
    def command(self) -> Sequence[str]:
        """What builds the site.

        Raises:
            NotInstalled: the generator is not there.
        """

    def build(self) -> None:
        """Build the whole site again.

        Raises:
            AssertionError: the generator failed; holds what it said.
        """
        done = subprocess.run(
            self.command(),
            cwd=self.root,
            env={
                **os.environ,
                "ASTRO_TELEMETRY_DISABLED": "1",
                "NO_COLOR": "1",
                "LANG": "C.UTF-8",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def page(self, address: str) -> str:
        """A built page by its address on the site, as a web server finds it."""
        path = self.built / unquote(address).strip("/")
        return (path / "index.html" if path.is_dir() else path).read_text()

    def pages(self) -> str:
        """All built pages together."""
        return "\n".join(path.read_text() for path in sorted(self.built.rglob("*.html")))

    def write(self, name: str, text: str) -> None:
        """A file of the owner's."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Hugo(StaticGenerator):
    """Hugo with its defaults: HTML in Markdown is dropped."""

    prefix = "posts/"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.posts, self.built = root / "content" / "posts", root / "public"
        self.write("config.toml", 'baseURL = "https://blog.example/"\ntitle = "Blog"\n')
        self.write(
            "layouts/_default/single.html",
            "<!doctype html><title>{{ .Title }}</title>"
            '<meta name="description" content="{{ .Description }}">'
            '<time datetime="{{ .Date.Format "2006-01-02T15:04:05Z07:00" }}"></time>'
            "{{ range .Params.tags }}<i class=tag>{{ . }}</i>{{ end }}"
            "{{ range .Params.categories }}<i class=category>{{ . }}</i>{{ end }}"
            "<article><h1>{{ .Title }}</h1>{{ .Content }}</article>"
            '{{ with .Params.json_ld }}<script type="application/ld+json">{{ . | safeJS }}</script>'
            "{{ end }}",
        )
        self.write(
            "layouts/_default/list.html",
            "<!doctype html><ul>{{ range .RegularPages }}"
            '<li><a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</ul>',
        )
        # The template of the README.
        self.write(
            "layouts/_default/_markup/render-link.html",
            '<a href="{{ .Destination | safeURL }}"'
            "{{ if in .Page.Params.sponsored .Destination }}"
            ' rel="sponsored noopener" target="_blank"{{ end }}>{{ .Text | safeHTML }}</a>',
        )

    def command(self) -> Sequence[str]:
        return [program("hugo"), "--quiet", "--cleanDestinationDir"]


class Jekyll(StaticGenerator):
    """Jekyll with its defaults: kramdown, Liquid in every text."""

    prefix = ""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.posts, self.built = root / "_posts", root / "_site"
        self.write("_config.yml", "title: Blog\n")
        self.write(
            "_layouts/post.html",
            "<!doctype html><title>{{ page.title | escape }}</title>"
            '<meta name="description" content="{{ page.description | escape }}">'
            '<time datetime="{{ page.date | date_to_xmlschema }}"></time>'
            "{% for tag in page.tags %}<i class=tag>{{ tag }}</i>{% endfor %}"
            "{% for one in page.categories %}<i class=category>{{ one }}</i>{% endfor %}"
            "<article><h1>{{ page.title | escape }}</h1>{{ content }}</article>",
        )
        self.write(
            "index.html",
            "---\n---\n{% for post in site.posts %}"
            '<a href="{{ post.url }}">{{ post.title }}</a>{{ post.excerpt }}{% endfor %}',
        )

    def command(self) -> Sequence[str]:
        return [program("jekyll"), "build", "--quiet", "--trace"]


class Eleventy(StaticGenerator):
    """Eleventy with its defaults: Liquid in every Markdown file."""

    prefix = "posts/"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.posts, self.built = root / "posts", root / "_site"
        self.write("package.json", '{"name": "site", "private": true}')
        self.write("posts/posts.json", '{"layout": "post.liquid", "tags": ["posts"]}')
        self.write(
            "_includes/post.liquid",
            "<!doctype html><title>{{ title | escape }}</title>"
            '<meta name="description" content="{{ description | escape }}">'
            '<time datetime="{{ page.date | date: "%Y-%m-%dT%H:%M:%SZ", "UTC" }}"></time>'
            "{% for tag in tags %}<i class=tag>{{ tag }}</i>{% endfor %}"
            "{% for one in categories %}<i class=category>{{ one }}</i>{% endfor %}"
            "<article><h1>{{ title | escape }}</h1>{{ content }}</article>",
        )
        self.write(
            "index.liquid",
            '{% for post in collections.posts %}<a href="{{ post.url }}">{{ post.data.title }}</a>'
            "{% endfor %}",
        )

    def command(self) -> Sequence[str]:
        return [npm_command("eleventy"), "--quiet"]


class Astro(StaticGenerator):
    """Astro with the schema of its own blog template."""

    prefix = "blog/"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.posts, self.built = root / "src" / "content" / "blog", root / "dist"
        self.write("package.json", '{"name": "site", "private": true, "type": "module"}')
        self.write("astro.config.mjs", "export default { cacheDir: './cache' };")
        self.write(
            "src/content.config.ts",
            "import { defineCollection, z } from 'astro:content';\n"
            "import { glob } from 'astro/loaders';\n"
            "const blog = defineCollection({\n"
            "  loader: glob({ base: './src/content/blog', pattern: '**/*.{md,mdx}' }),\n"
            "  schema: z.object({ title: z.string(), description: z.string(),\n"
            "    pubDate: z.coerce.date(), updatedDate: z.coerce.date().optional(),\n"
            "    draft: z.boolean(), tags: z.array(z.string()).optional(),\n"
            "    categories: z.array(z.string()).optional() }) });\n"
            "export const collections = { blog };\n",
        )
        self.write(
            "src/pages/blog/[...slug].astro",
            "---\nimport { getCollection, render } from 'astro:content';\n"
            "export async function getStaticPaths() {\n"
            "  const posts = await getCollection('blog', ({ data }) => !data.draft);\n"
            "  return posts.map((post) => ({ params: { slug: post.id }, props: post }));\n}\n"
            "const post = Astro.props;\nconst { Content } = await render(post);\n---\n"
            "<!doctype html><title>{post.data.title}</title>"
            '<meta name="description" content={post.data.description}>'
            "<time datetime={post.data.pubDate.toISOString()}></time>"
            '{(post.data.tags ?? []).map((tag) => <i class="tag">{tag}</i>)}'
            '{(post.data.categories ?? []).map((one) => <i class="category">{one}</i>)}'
            "<article><h1>{post.data.title}</h1><Content /></article>",
        )
        # Node looks for packages beside the site.
        modules = root / "node_modules"
        if not modules.exists():
            modules.symlink_to(npm_folder("astro") / "node_modules")

    def command(self) -> Sequence[str]:
        return [npm_command("astro"), "build", "--silent"]


GENERATORS = {"hugo": Hugo, "jekyll": Jekyll, "eleventy": Eleventy, "astro": Astro}


def npm_command(name: str) -> str:
    """The path of a generator from npm."""
    return str(npm_folder(name) / "node_modules" / ".bin" / name)


def npm_folder(name: str) -> Path:
    """A folder with a generator installed, fetched when the cache does not hold it.

    Raises:
        NotInstalled: npm is not there, or cannot fetch it.
    """
    package = NPM_PACKAGES[name]
    return made_once(
        f"npm/{package.replace('/', '-')}", lambda folder: npm_install(package, folder=folder)
    )
