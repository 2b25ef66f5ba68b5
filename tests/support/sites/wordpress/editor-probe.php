<?php
// What the tests see of the block editor. ?copydesk_login=SECRET logs an administrator in; the
// editor then tells which blocks it takes for broken, as one line of the log.
add_action('init', function () {
    if (($_GET['copydesk_login'] ?? '') === getenv('COPYDESK_TEST_SECRET')) {
        wp_set_auth_cookie(1);
        wp_safe_redirect(admin_url('post.php?action=edit&post=' . (int) $_GET['post']));
        exit;
    }
});
add_action('wp_ajax_copydesk_probe', function () {
    error_log('editor-probe ' . file_get_contents('php://input'));
    wp_send_json_success();
});
add_action('enqueue_block_editor_assets', function () {
    wp_add_inline_script('wp-edit-post', <<<'JS'
(function wait() {
    const { select } = wp.data;
    if (!select('core/editor').getCurrentPostId() || !select('core/block-editor').getBlocks().length) {
        setTimeout(wait, 50);
        return;
    }
    const flat = (blocks) => blocks.flatMap((block) => [block, ...flat(block.innerBlocks)]);
    const blocks = flat(select('core/block-editor').getBlocks());
    const report = {
        post: select('core/editor').getCurrentPostId(),
        names: blocks.map((block) => block.name),
        invalid: blocks.filter((block) => !block.isValid).map((block) => ({
            name: block.name,
            had: block.originalContent,
            wants: wp.blocks.getSaveContent(block.name, block.attributes, block.innerBlocks),
        })),
        saved: wp.blocks.serialize(select('core/block-editor').getBlocks()),
    };
    fetch(ajaxurl + '?action=copydesk_probe', { method: 'POST', body: JSON.stringify(report) });
})();
JS);
});
