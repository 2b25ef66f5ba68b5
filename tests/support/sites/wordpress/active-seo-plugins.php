<?php
// Yoast SEO and Rank Math as far as other plugins see them. On a page with ?copydesk_seo=yoast or
// rank_math, that one describes the post as it does, through the same filter.
define('WPSEO_VERSION', '27.0');
if (!class_exists('RankMath', false)) {
    class RankMath
    {
    }
}
add_action('wp_head', function () {
    $article = ['@type' => ['Article', 'BlogPosting'], 'theirs' => $_GET['copydesk_seo'] ?? ''];
    if ('yoast' === $article['theirs']) {
        $article = apply_filters('wpseo_schema_article', $article, new stdClass());
    } elseif ('rank_math' === $article['theirs']) {
        $graph = ['publisher' => ['@type' => 'Organization'], 'richSnippet' => $article];
        $article = apply_filters('rank_math/json_ld', $graph, new stdClass())['richSnippet'];
    } else {
        return;
    }
    echo '<script type="application/ld+json">', wp_json_encode($article), '</script>';
}, 1);
