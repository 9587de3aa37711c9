/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree on the terminal: what the keys open, what the screen shows. */
#include "core/render/browser.h"

#include "core/render/documents.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

struct fixture {
	struct profile profile;
	struct tree tree;
	struct browser browser;
};

static const struct graph_caption caption = { .title = "Title", .subtitle = "", .unit = "samples" };

static void begin(struct fixture *fixture, const char *text)
{
	static const struct tree_options options;

	fixture->profile = (struct profile){};
	if (*text) /* one without stacks is refused */
		profile_of_text(text, &fixture->profile);
	tree_init(&fixture->tree, &options);
	tree_add_all(&fixture->tree, &fixture->profile, TREE_NOW);
	tree_build(&fixture->tree);
	browser_init(&fixture->browser, &fixture->tree, &caption);
}

static void end(struct fixture *fixture)
{
	browser_done(&fixture->browser);
	tree_done(&fixture->tree);
	profile_done(&fixture->profile);
}

static bool press(struct fixture *fixture, const char *keys)
{
	bool goes_on = true;

	for (; *keys; keys++)
		goes_on = browser_press(&fixture->browser, *keys == '\n' ? KEY_ENTER : *keys);
	return goes_on;
}

/* The screen without its sequences; ">" before the line of the cursor. */
static char *screen_of(const struct fixture *fixture)
{
	_cleanup_(buf_done) struct buf drawn = {};
	struct buf plain = {};

	browser_draw(&fixture->browser, &drawn);
	for (const char *at = buf_text(&drawn); *at; at++) {
		if (!strncmp(at, "\x1b[7m", 4))
			buf_addc(&plain, '>');
		if (*at == '\x1b')
			at += 1 + strcspn(at + 2, "mHK") + 1;
		else if (*at != '\r')
			buf_addc(&plain, *at);
	}
	return plain.data;
}

static void expect(const struct fixture *fixture, const char *wanted)
{
	_cleanup_(freep) char *screen = screen_of(fixture);

	assert_string_equal(screen, wanted);
}

#define TEXT "app;main;a;b 6\napp;main;c 3\nother;x 1\n"
#define HEAD "Title\n   total    self  function\n"
#define HELP "   q ends; arrows move, open and close; * opens all below; / n N search"

TEST(a_usual_terminal_has_room_for_how_it_ends)
{
	_cleanup_(freep) char *screen = NULL;
	struct fixture fixture;

	begin(&fixture, "app;main;read 123456789\n");
	browser_resize(&fixture.browser, 5, 80);
	press(&fixture, "/read\n");
	screen = screen_of(&fixture);
	assert_non_null(strstr(screen, "123,456,789 samples; matched: 100.00%   q ends;"));
	end(&fixture);
}

TEST(branches_open_and_close)
{
	struct fixture fixture;

	begin(&fixture, TEXT);
	browser_resize(&fixture.browser, 9, 200);
	expect(&fixture, HEAD "> 100.00%   0.00%  - all\n  90.00%   0.00%   + app\n  10.00%   0.00%   + other\n\n\n\n"
			      "10 samples" HELP);
	assert_true(press(&fixture, "jl")); /* main is the only way below app */
	expect(&fixture,
	       HEAD " 100.00%   0.00%  - all\n>  90.00%   0.00%   - app\n  90.00%   0.00%    - main\n"
		    "  60.00%   0.00%     + a\n  30.00%  30.00%       c\n  10.00%   0.00%   + other\n9 samples" HELP);
	press(&fixture, "h");
	expect(&fixture, HEAD " 100.00%   0.00%  - all\n>  90.00%   0.00%   + app\n  10.00%   0.00%   + other\n\n\n\n"
			      "9 samples" HELP);
	press(&fixture, "h");
	assert_int_equal(fixture.browser.cursor, 0);
	press(&fixture, "*");
	assert_int_equal(fixture.browser.lines.nr, 8);
	press(&fixture, "G");
	assert_int_equal(fixture.browser.cursor, 7);
	assert_int_equal(fixture.browser.first, 2);
	press(&fixture, "jjjg");
	assert_int_equal(fixture.browser.cursor, 0);
	assert_int_equal(fixture.browser.first, 0);
	assert_false(press(&fixture, "q"));
	end(&fixture);
}

TEST(search_opens_what_matches)
{
	struct fixture fixture;
	_cleanup_(freep) char *screen = NULL;

	begin(&fixture, TEXT);
	browser_resize(&fixture.browser, 12, 200);
	press(&fixture, "/^[bc]$\n");
	assert_int_equal(fixture.browser.matched, 9);
	screen = screen_of(&fixture);
	assert_non_null(strstr(screen, ">  60.00%  60.00%        b\n"));
	assert_non_null(strstr(screen, "6 samples; matched: 90.00%"));
	press(&fixture, "n");
	assert_string_equal(
		tree_text(&fixture.tree,
			  fixture.tree.nodes.data[fixture.browser.lines.data[fixture.browser.cursor]].frame),
		"c");
	press(&fixture, "nN");
	assert_string_equal(
		tree_text(&fixture.tree,
			  fixture.tree.nodes.data[fixture.browser.lines.data[fixture.browser.cursor]].frame),
		"c");
	press(&fixture, "/nowhere\n");
	assert_string_equal(fixture.browser.message, "nothing matches");
	press(&fixture, "/(\n");
	assert_non_null(strstr(fixture.browser.message, "no regular expression"));
	press(&fixture, "/q");
	assert_true(fixture.browser.typing);
	assert_true(browser_press(&fixture.browser, KEY_ESCAPE));
	assert_false(fixture.browser.typing);
	assert_false(browser_press(&fixture.browser, KEY_QUIT));
	end(&fixture);
}

TEST(small_screens_and_empty_trees_do_no_harm)
{
	static const int keys[] = { KEY_UP,        KEY_DOWN,      KEY_LEFT,  KEY_RIGHT, KEY_PAGE_UP,
				    KEY_PAGE_DOWN, KEY_HOME,      KEY_END,   KEY_ENTER, KEY_ESCAPE,
				    KEY_BACKSPACE, 'n',           '*',       '/',       'x',
				    KEY_BACKSPACE, KEY_BACKSPACE, KEY_ENTER, 0,         0x1b };
	static const char *const texts[] = { "", "a 1\n", TEXT, "\xc3\xa4\xe2\x82\xac;\xe2\x82\xac 1\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct fixture fixture;

		begin(&fixture, texts[i]);
		for (size_t k = 0; k < 3 * sizeof(keys) / sizeof(*keys); k++) {
			char *screen;

			browser_resize(&fixture.browser, k % 7, k % 11);
			assert_true(browser_press(&fixture.browser, keys[k % (sizeof(keys) / sizeof(*keys))]));
			screen = screen_of(&fixture);
			free(screen);
		}
		end(&fixture);
	}
}

/* At 80 columns the names of stacks of python3 were indented out of the screen. */
TEST(names_of_deep_stacks_are_seen)
{
	static const size_t columns[] = { 200, 80, 60 };
	_cleanup_(buf_done) struct buf text = {};
	struct fixture fixture;

	buf_adds(&text, "app");
	for (int i = 0; i < 150; i++)
		buf_addf(&text, ";function_%d", i);
	buf_adds(&text, " 1\n");
	begin(&fixture, buf_text(&text));
	for (size_t i = 0; i < 3; i++) {
		_cleanup_(freep) char *screen = NULL;

		browser_resize(&fixture.browser, 24, columns[i]);
		assert_true(press(&fixture, "*"));
		assert_true(browser_press(&fixture.browser, KEY_END));
		screen = screen_of(&fixture);
		assert_non_null(strstr(screen, "function_149\n"));
		assert_non_null(strstr(screen, " - function_148\n"));
		assert_true(browser_press(&fixture.browser, KEY_HOME));
	}
	end(&fixture);
}

/* The event of a saved profile is a stranger's text. */
TEST(a_title_is_shown_and_not_obeyed)
{
	static const struct output_options options;
	_cleanup_(buf_done) struct buf screen = {};
	_cleanup_(caption_done) struct caption captions;
	struct fixture fixture;

	begin(&fixture, TEXT);
	fixture.profile.event = profile_add_string(&fixture.profile, "x\x1b]0;owned\a");
	caption_init(&captions, &options, &fixture.profile);
	assert_string_equal(captions.graph.title, "folded: x\\x1b]0;owned\\x07");
	fixture.browser.caption = &captions.graph;
	browser_draw(&fixture.browser, &screen);
	assert_null(strchr(buf_text(&screen), '\a'));
	assert_null(strstr(buf_text(&screen), "\x1b]"));
	end(&fixture);
}

/* More has come: the browser goes on with the tree of that, and the old one is no more. */
static void grow(struct fixture *fixture, const char *text)
{
	struct fixture grown;

	begin(&grown, text);
	browser_replace(&fixture->browser, &grown.tree);
	browser_done(&grown.browser);
	tree_done(&fixture->tree);
	profile_done(&fixture->profile);
	fixture->profile = grown.profile;
	fixture->tree = grown.tree;
	fixture->browser.tree = &fixture->tree;
}

TEST(what_comes_opens_until_a_key_is_pressed)
{
	struct fixture fixture;

	begin(&fixture, "");
	browser_resize(&fixture.browser, 6, 200);
	expect(&fixture, HEAD ">   0.00%   0.00%    all\n\n\n0 samples" HELP);
	grow(&fixture, "app;main 1\n");
	expect(&fixture,
	       HEAD "> 100.00%   0.00%  - all\n 100.00%   0.00%   - app\n 100.00% 100.00%      main\n1 samples" HELP);
	grow(&fixture, "app;main 1\nzap;main 3\n");
	expect(&fixture,
	       HEAD "> 100.00%   0.00%  - all\n  75.00%   0.00%   + zap\n  25.00%   0.00%   + app\n4 samples" HELP);
	end(&fixture);
}

TEST(branches_and_the_cursor_stay_where_they_are)
{
	struct fixture fixture;

	begin(&fixture, TEXT);
	browser_resize(&fixture.browser, 9, 200);
	press(&fixture, "jljjj"); /* app and main are open, the cursor is on c, in line 4 */
	grow(&fixture, "app;main;a;b 6\napp;main;c 30\nbig;y 100\nother;x 1\n");
	expect(&fixture,
	       HEAD " 100.00%   0.00%  - all\n  72.99%   0.00%   + big\n  26.28%   0.00%   - app\n"
		    "  26.28%   0.00%    - main\n>  21.90%  21.90%       c\n   4.38%   0.00%     + a\n30 samples" HELP);
	press(&fixture, "/^[xy]$\n");
	assert_int_equal(fixture.browser.matched, 101);
	grow(&fixture, "app;main;a;b 6\napp;main;c 30\nbig;y 200\nother;x 1\n");
	assert_int_equal(fixture.browser.matched, 201);
	grow(&fixture, "app;main;a;b 6\n"); /* of what has gone, the nearest above stays */
	expect(&fixture, HEAD "> 100.00%   0.00%  - all\n 100.00%   0.00%   - app\n 100.00%   0.00%    - main\n"
			      " 100.00%   0.00%     + a\n\n\n6 samples; matched: 0.00%" HELP);
	end(&fixture);
}
